package io.streampulse.registry;

import io.streampulse.config.Secret;
import java.io.Serializable;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * How a schema registry is reached. Serializable, since executors ask it too.
 *
 * @param urls base of its API, the first that answers is used
 * @param basicAuth {@code user:password}; empty where there is none
 * @param bearerToken token for {@code Authorization: Bearer}; empty where there is none
 * @param caCertificates PEM text of the certificate authorities to trust instead of the JVM's;
 *     empty for the JVM's
 * @param requestTimeout longest wait for one answer
 * @param retryTimeout how long a question is asked again while the registry is away
 */
public record RegistrySettings(
    List<URI> urls,
    Secret basicAuth,
    Secret bearerToken,
    String caCertificates,
    Duration requestTimeout,
    Duration retryTimeout)
    implements Serializable {

  public RegistrySettings {
    urls = List.copyOf(urls);
  }

  /** A text without the login, in each form in which it is sent. */
  public String blotted(String text) {
    String login = basicAuth.value();
    String blotted = text;
    for (String secret :
        List.of(
            bearerToken.value(),
            login,
            Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)),
            login.substring(login.indexOf(':') + 1))) {
      blotted = secret.isEmpty() ? blotted : blotted.replace(secret, "***");
    }
    return blotted;
  }

  /** The same for someone who asks again by himself. */
  public RegistrySettings withoutRetries() {
    return new RegistrySettings(
        urls, basicAuth, bearerToken, caCertificates, requestTimeout, Duration.ZERO);
  }
}
