package io.streampulse.connection;

import java.time.Instant;

/**
 * A token that the broker takes as a login.
 *
 * @param value the token; its text is stars wherever it is printed
 * @param issued when it was asked for
 * @param expires when it ends
 */
record AccessToken(String value, Instant issued, Instant expires) {
  @Override
  public String toString() {
    return "*** until " + expires;
  }
}
