package io.streampulse.connection;

import java.lang.reflect.Proxy;
import java.util.Set;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslClientFactory;

/**
 * The Kafka client that has called a login module, known by its callback handler: the one of its
 * own package, Databricks' or the agent's relocated copy. Nothing here binds to one of them, so
 * that the same login modules serve them all.
 *
 * @param prefix its package, with the dot, as in {@code org.apache.kafka.}
 * @param loader who loads its classes
 */
record KafkaApi(String prefix, ClassLoader loader) {
  private static final String CALLBACK_HANDLER = "common.security.auth.AuthenticateCallbackHandler";

  /**
   * The client whose callback handler this is.
   *
   * @throws IllegalArgumentException if it is none of Kafka's
   */
  static KafkaApi of(CallbackHandler handler) {
    for (Class<?> type = handler.getClass(); type != null; type = type.getSuperclass()) {
      for (Class<?> implemented : type.getInterfaces()) {
        String name = implemented.getName();
        if (name.endsWith("." + CALLBACK_HANDLER)) {
          return new KafkaApi(
              name.substring(0, name.length() - CALLBACK_HANDLER.length()),
              implemented.getClassLoader());
        }
      }
    }
    throw new IllegalArgumentException(
        handler.getClass().getName() + " is no callback handler of a Kafka client");
  }

  /** Whether a callback handler is of this client. */
  boolean isOwn(CallbackHandler handler) {
    return type(CALLBACK_HANDLER).isInstance(handler);
  }

  /** What makes this client's side of a SASL exchange. */
  SaslClientFactory saslClientFactory(String mechanism) {
    String name =
        mechanism.equals("OAUTHBEARER")
            ? "common.security.oauthbearer.internals.OAuthBearerSaslClient$OAuthBearerSaslClientFactory"
            : "common.security.scram.internals.ScramSaslClient$ScramSaslClientFactory";
    try {
      return (SaslClientFactory) type(name).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("This Kafka client has no " + name, e);
    }
  }

  /** The token as this client's {@code OAuthBearerToken}. */
  Object oauthBearerToken(AccessToken token, String principal) {
    Class<?> type = type("common.security.oauthbearer.OAuthBearerToken");
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "value" -> token.value();
              case "scope" -> Set.of();
              case "lifetimeMs" -> token.expires().toEpochMilli();
              case "startTimeMs" -> token.issued().toEpochMilli();
              case "principalName" -> principal;
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              default -> token.toString();
            });
  }

  private Class<?> type(String name) {
    try {
      return Class.forName(prefix + name, true, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("This Kafka client has no " + prefix + name, e);
    }
  }
}
