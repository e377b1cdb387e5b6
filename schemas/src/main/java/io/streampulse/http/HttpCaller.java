package io.streampulse.http;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An HTTP client that waits for whole answers no longer than it may and takes none that are too
 * long. Follows no redirects: what it sends may be secret. Thread-safe.
 */
public final class HttpCaller {
  private final HttpClient http;
  private final Duration timeout;
  private final int longestAnswer;

  /**
   * A client; connects at the first call.
   *
   * @param timeout longest wait for an answer, to its end
   * @param certificateAuthorities PEM of those to trust; empty for the JVM's
   * @param longestAnswer most bytes of an answer
   * @throws GeneralSecurityException if the certificate authorities can't be read
   */
  public HttpCaller(Duration timeout, String certificateAuthorities, int longestAnswer)
      throws GeneralSecurityException {
    this(
        certificateAuthorities.isEmpty()
            ? HttpClient.newBuilder()
            : HttpClient.newBuilder()
                .sslContext(CertificateAuthorities.sslContext(certificateAuthorities)),
        timeout,
        longestAnswer);
  }

  private HttpCaller(HttpClient.Builder builder, Duration timeout, int longestAnswer) {
    this.http =
        builder
            .version(HttpClient.Version.HTTP_1_1) // an offer of HTTP/2 confuses some servers
            .connectTimeout(timeout)
            .build();
    this.timeout = timeout;
    this.longestAnswer = longestAnswer;
  }

  /** A client for an address of this machine's own network, whatever proxy the JVM has. */
  public static HttpCaller withoutProxy(Duration timeout, int longestAnswer) {
    return new HttpCaller(
        HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY), timeout, longestAnswer);
  }

  /**
   * Sends a request and waits for the answer.
   *
   * @throws IOException if there is none in time, or one that is too long
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public HttpResponse<byte[]> call(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(request.timeout(timeout).build(), info -> new BoundedBody(longestAnswer));
    try {
      // The request's own time-out ends where the body begins.
      return answer.get(timeout.toMillis() + 100, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("no answer in time", e);
    } finally {
      answer.cancel(true);
    }
  }
}
