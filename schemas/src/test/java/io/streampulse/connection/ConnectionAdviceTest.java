package io.streampulse.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionAdviceTest {
  @Test
  void findsTheKnownCauseBehindOthers() {
    Throwable failure =
        new RuntimeException("query failed", new SaslAuthenticationException("bad password"));

    assertThat(ConnectionAdvice.of(failure, "t").orElseThrow())
        .contains("spark.streampulse.kafka.sasl.jaas.config")
        .doesNotContain("bad password");
  }

  @Test
  void tellsAnUntrustedCertificateFromAWrongHostName() {
    assertThat(ConnectionAdvice.of(new SslAuthenticationException("PKIX path"), "t").orElseThrow())
        .contains("ssl.truststore.location");
    assertThat(
            ConnectionAdvice.of(
                    new SslAuthenticationException("No subject alternative names matching"), "t")
                .orElseThrow())
        .contains("another host name");
  }

  @Test
  void looksForTheReasonOfAFailedHandshakeBehindIt() {
    for (String[] pair :
        new String[][] {
          {"No subject alternative DNS name matching localhost found.", "another host name"},
          {"NotAfter: Mon Nov 23", "has expired"},
          {"Received fatal alert: bad_certificate", "refuses this client's certificate"},
          {"Received fatal alert: protocol_version", "TLS handshake (protocol_version)"},
          {"unable to find valid certification path", "is not trusted"}
        }) {
      SslAuthenticationException failure = new SslAuthenticationException("SSL handshake failed");
      failure.initCause(new RuntimeException("?", new RuntimeException(pair[0])));

      assertThat(ConnectionAdvice.of(failure, "t").orElseThrow()).contains(pair[1]);
    }
  }

  @Test
  void tellsARefusedTokenFromARefusedPassword() {
    assertThat(
            ConnectionAdvice.of(
                    new SaslAuthenticationException("{\"status\":\"invalid_token\"}"), "t")
                .orElseThrow())
        .contains("refused the token");
  }

  @Test
  void namesTheTopicThatIsMissing() {
    assertThat(
            ConnectionAdvice.of(
                    new TimeoutException("Topic x not present in metadata after 5000 ms."), "x")
                .orElseThrow())
        .startsWith("no broker tells of topic x");
  }

  @Test
  void saysNothingOfWhatItDoesNotKnow() {
    assertThat(ConnectionAdvice.of(new IllegalStateException("?"), "t")).isEmpty();
  }

  @Test
  void endsOnCausesThatGoInCircles() {
    Exception a = new Exception("a");
    Exception b = new Exception("b", a);
    a.initCause(b);

    assertThat(ConnectionAdvice.of(a, "t")).isEmpty();
  }

  // Named as Kafka's, which this module does not know: advice goes by simple name.
  private static final class SaslAuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SaslAuthenticationException(String message) {
      super(message);
    }
  }

  private static final class SslAuthenticationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SslAuthenticationException(String message) {
      super(message);
    }
  }

  private static final class TimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TimeoutException(String message) {
      super(message);
    }
  }
}
