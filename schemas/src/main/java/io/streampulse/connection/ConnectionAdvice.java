package io.streampulse.connection;

import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Turns a failed connection to the broker into a sentence that names the setting to look at.
 *
 * <p>Exceptions are known by their simple class name: the agent carries a relocated copy of the
 * Kafka client, so the same failure has two class names in one JVM.
 */
public final class ConnectionAdvice {
  /** How the failure of a login begins that got no token; the text says the rest. */
  static final String NO_TOKEN = "no token: ";

  private static final String ABOUT_THE_CERTIFICATE =
      "(?s).*fatal alert: \\w*(certificate|unknown_ca|access_denied|handshake_failure).*";

  private ConnectionAdvice() {}

  /** What to do about a failure, if it or one of its causes is one that we know. */
  public static Optional<String> of(Throwable failure, String topic) {
    return known(failure, topic).flatMap(cause -> ofOne(cause, topic));
  }

  /**
   * Whether a failure that {@link #of} knows may pass by itself: no answer in time, as opposed to
   * an answer that refuses.
   */
  public static boolean mayPass(Throwable failure, String topic) {
    return known(failure, topic)
        .filter(
            cause ->
                cause.getClass().getSimpleName().equals("TimeoutException")
                    || isWithoutAnswer(String.valueOf(cause.getMessage())))
        .isPresent();
  }

  private static Optional<Throwable> known(Throwable failure, String topic) {
    return Causes.of(failure).stream().filter(c -> ofOne(c, topic).isPresent()).findFirst();
  }

  private static Optional<String> ofOne(Throwable cause, String topic) {
    String message = String.valueOf(cause.getMessage());
    return Optional.ofNullable(
        switch (cause.getClass().getSimpleName()) {
          case "SaslAuthenticationException" -> login(message);
          case "UnsupportedSaslMechanismException", "IllegalSaslStateException" ->
              "the broker does not offer this login: check spark.streampulse.kafka.sasl.mechanism"
                  + " and spark.streampulse.kafka.security.protocol";
          case "SslAuthenticationException", "SSLHandshakeException" -> tls(messages(cause));
          case "TopicAuthorizationException" ->
              "this login may not use topic %s: ask the owner of the topic for the right (Write for agents, Read for the consumer)"
                  .formatted(topic);
          case "GroupAuthorizationException" ->
              "this login may not use the consumer group: ask for Read on the group, or set"
                  + " spark.streampulse.kafka.group.id to one it may use";
          case "UnknownTopicOrPartitionException" -> missing(topic);
          case "TimeoutException" -> timeout(message, topic);
          case "IllegalArgumentException" -> message.contains("JAAS") ? jaas() : null;
          case "NoSuchFileException", "AccessDeniedException" -> file(message);
          case "LoginException" -> loginSetUp(message);
          case "ConfigException" -> "spark.streampulse.kafka.*: " + firstLine(message);
          default -> null;
        });
  }

  /** What went wrong in a handshake is said by the innermost cause. */
  private static String messages(Throwable failure) {
    return Causes.of(failure).stream()
        .map(Throwable::getMessage)
        .map(String::valueOf)
        .collect(Collectors.joining("\n"));
  }

  private static String tls(String message) {
    if (message.contains("No subject alternative") || message.contains("No name matching")) {
      return "the broker's certificate is for another host name: use the name it was made for in"
          + " spark.streampulse.kafka.bootstrap.servers";
    }
    if (message.contains("NotAfter") || message.contains("validity check failed")) {
      return "the broker's certificate has expired, or this machine's clock is wrong: have its owner"
          + " renew it";
    }
    if (message.contains("fatal alert") && !message.matches(ABOUT_THE_CERTIFICATE)) {
      return "the broker ended the TLS handshake (%s): check spark.streampulse.kafka.ssl.enabled.protocols and .ssl.cipher.suites, and the host name"
          .formatted(
              message.replaceFirst("(?s).*fatal alert: ?", "").lines().findFirst().orElse("?"));
    }
    if (message.contains("fatal alert")) {
      return "the broker refuses this client's certificate, or wants one: check"
          + " spark.streampulse.kafka.ssl.keystore.location (or .key and .certificate.chain), and"
          + " that the broker trusts its issuer";
    }
    return "the broker's certificate is not trusted: check"
        + " spark.streampulse.kafka.ssl.truststore.location and"
        + " spark.streampulse.kafka.ssl.truststore.type";
  }

  private static String timeout(String message, String topic) {
    if (message.contains("not present in metadata")) {
      return ("no broker tells of topic %s. Most likely first: it is not there (have someone with the"
              + " right create it); this login has no right on it (Send or Write for agents, Listen"
              + " or Read for the consumer); a firewall or proxy between here and"
              + " spark.streampulse.kafka.bootstrap.servers; an endpoint that closes the connection"
              + " on a Kafka client of this version")
          .formatted(topic);
    }
    return "the broker does not answer: check spark.streampulse.kafka.bootstrap.servers,"
        + " spark.streampulse.kafka.security.protocol and the way to it (firewall, proxy)";
  }

  private static String login(String message) {
    return message.contains("invalid_token") || message.contains("OAUTHBEARER")
        ? "the broker refused the token: check spark.streampulse.oauth.scope and .client-id, whether"
            + " the broker trusts the token's issuer, and this machine's clock"
        : "the broker refused the login: check user and password in"
            + " spark.streampulse.kafka.sasl.jaas.config (spark.streampulse.sasl.username and"
            + " .password, spark.streampulse.eventhubs.connection-string), and"
            + " spark.streampulse.kafka.sasl.mechanism";
  }

  private static String loginSetUp(String message) {
    return message.startsWith(NO_TOKEN)
        ? message
        : "the login can't be set up: check the class and its options in"
            + " spark.streampulse.kafka.sasl.jaas.config";
  }

  private static boolean isWithoutAnswer(String message) {
    return message.startsWith(NO_TOKEN) && message.contains(" does not answer");
  }

  private static String file(String path) {
    return "the file %s can't be read: check spark.streampulse.kafka.ssl.truststore.location and spark.streampulse.kafka.ssl.keystore.location"
        .formatted(path);
  }

  private static String jaas() {
    return "spark.streampulse.kafka.sasl.jaas.config can't be read: write CLASS required"
        + " username=\"...\" password=\"...\"; with the semicolon";
  }

  private static String missing(String topic) {
    return "topic %s is not there, or this login may not see it: have someone with the right create it, or set spark.streampulse.topic"
        .formatted(topic);
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
