package io.streampulse.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.streampulse.config.Secret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler;
import org.apache.kafka.common.security.scram.internals.ScramSaslClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Our login modules with a real Kafka client's classes; they bind to none, so the test is here. */
class LoginModulesTest {
  private HttpServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
  }

  @Test
  void oauthGivesTheClientATokenAndTakesItAway() throws Exception {
    URI url = tokenServer(200, "{\"access_token\":\"t0ken\",\"expires_in\":60}");
    LoginContext context = context(login(url).jaas(), new OAuthBearerSaslClientCallbackHandler());

    context.login();

    Subject subject = context.getSubject();
    OAuthBearerToken token =
        subject.getPrivateCredentials(OAuthBearerToken.class).iterator().next();
    assertThat(token.value()).isEqualTo("t0ken");
    assertThat(token.principalName()).isEqualTo("id");
    assertThat(token.lifetimeMs() - token.startTimeMs()).isEqualTo(60_000);
    assertThat(token.scope()).isEmpty();
    assertThat(token.toString()).doesNotContain("t0ken");
    assertThat(subject.getPrivateCredentials()).hasSize(1).contains(token);

    context.logout();
    assertThat(subject.getPrivateCredentials()).isEmpty();
  }

  @Test
  void oauthSaysWhyThereIsNoToken() throws Exception {
    URI url = tokenServer(401, "{\"error\":\"invalid_client\"}");
    LoginContext context = context(login(url).jaas(), new OAuthBearerSaslClientCallbackHandler());

    assertThatThrownBy(context::login)
        .isInstanceOf(LoginException.class)
        .hasMessageStartingWith("no token: " + url + " answered 401 invalid_client");
  }

  @Test
  void passwordsBecomeCredentials() throws Exception {
    JaasLine line =
        new JaasLine(
            PasswordLoginModule.class.getName(),
            Map.of("username", "u", "password", "p", "tokenauth", "true"));
    LoginContext context = context(line, new SaslClientCallbackHandler());

    context.login();

    assertThat(context.getSubject().getPublicCredentials())
        .containsExactlyInAnyOrder("u", Map.of("tokenauth", "true"));
    assertThat(context.getSubject().getPrivateCredentials()).containsExactly("p");
    assertThatThrownBy(
            () ->
                context(
                        new JaasLine(PasswordLoginModule.class.getName(), Map.of("username", "u")),
                        new SaslClientCallbackHandler())
                    .login())
        .hasMessageContaining("password=");
  }

  @Test
  void saslClientsAreMadeForThisCopyOfKafkaAlone() throws Exception {
    AuthenticateCallbackHandler own = new SaslClientCallbackHandler();
    SaslClients.unregister();
    SaslClients.register(KafkaApi.of(own));
    SaslClients.register(KafkaApi.of(own));

    assertThat(Security.getProviders()[0].getName())
        .startsWith("Streampulse SASL clients of org.apache.kafka.@");
    assertThat(ownProviders()).isEqualTo(1);
    assertThat(Security.getProviders("SaslClientFactory.OAUTHBEARER")[0])
        .isSameAs(Security.getProviders()[0]);
    for (String mechanism : List.of("OAUTHBEARER", "SCRAM-SHA-256", "SCRAM-SHA-512")) {
      assertThat(client(mechanism, own).getMechanismName()).isEqualTo(mechanism);
      // Another copy's handler, or anyone's: left to whoever knows it.
      assertThat(client(mechanism, callbacks -> {})).isNull();
    }
  }

  /** The same package by two class loaders, as after a redeployment in one JVM. */
  @Test
  void aCopyByAnotherClassLoaderGetsSaslClientsOfItsOwn() throws Exception {
    URL kafka = SaslClientCallbackHandler.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader other =
        new URLClassLoader(
            new URL[] {kafka}, new OnlySlf4j(LoginModulesTest.class.getClassLoader()))) {
      CallbackHandler handler =
          (CallbackHandler)
              other
                  .loadClass(SaslClientCallbackHandler.class.getName())
                  .getDeclaredConstructor()
                  .newInstance();
      SaslClients.register(KafkaApi.of(new SaslClientCallbackHandler()));
      SaslClients.register(KafkaApi.of(handler));

      assertThat(ownProviders()).isEqualTo(2);
      SaslClient client = client("SCRAM-SHA-512", handler);
      assertThat(client.getClass().getClassLoader()).isSameAs(other);
      assertThat(client("SCRAM-SHA-512", new SaslClientCallbackHandler()).getClass())
          .isSameAs(ScramSaslClient.class);
    } finally {
      SaslClients.unregister();
    }
    assertThat(ownProviders()).isZero();
  }

  @Test
  void plainNeedsNoSaslClientOfKafkas() throws Exception {
    SaslClients.unregister();
    Map<String, String> options = Map.of("username", "u", "password", "p");
    context(
            new JaasLine(PasswordLoginModule.class.getName(), options),
            new SaslClientCallbackHandler())
        .login();
    assertThat(ownProviders()).isZero();
    context(
            new JaasLine(ScramPasswordLoginModule.class.getName(), options),
            new SaslClientCallbackHandler())
        .login();
    assertThat(ownProviders()).isEqualTo(1);
  }

  private static long ownProviders() {
    return Arrays.stream(Security.getProviders())
        .filter(provider -> provider.getName().startsWith("Streampulse SASL clients"))
        .count();
  }

  /** Gives nothing of Kafka's away, so that a loader below it has its own. */
  private static final class OnlySlf4j extends ClassLoader {
    private final ClassLoader all;

    OnlySlf4j(ClassLoader all) {
      super(ClassLoader.getPlatformClassLoader());
      this.all = all;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("org.slf4j.")) {
        return all.loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }

  @Test
  void knowsAKafkaClientByItsCallbackHandler() {
    assertThat(KafkaApi.of(new SaslClientCallbackHandler() {}).prefix())
        .isEqualTo("org.apache.kafka.");
    assertThatThrownBy(() -> KafkaApi.of(callbacks -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no callback handler of a Kafka client");
  }

  private static SaslClient client(String mechanism, CallbackHandler handler) throws Exception {
    return Sasl.createSaslClient(
        new String[] {mechanism}, null, "kafka", "localhost", Map.of(), handler);
  }

  private static OAuthLogin login(URI url) {
    return new OAuthLogin(url, false, "id", new Secret("s3cret"), "", "");
  }

  private URI tokenServer(int status, String answer) throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return URI.create("http://127.0.0.1:%d/token".formatted(server.getAddress().getPort()));
  }

  private static LoginContext context(JaasLine line, CallbackHandler handler) throws Exception {
    AppConfigurationEntry entry =
        new AppConfigurationEntry(
            line.loginModule(),
            AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
            line.options());
    return new LoginContext(
        "KafkaClient",
        null,
        handler,
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {entry};
          }
        });
  }
}
