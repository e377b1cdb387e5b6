package io.streampulse.connection;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A PKCS12 store that is the value of a setting, as a {@code data:} URI with Base64 (RFC 2397), so
 * that it can come out of an environment variable or a secret. Kafka's client takes text in PEM
 * alone, so that is what becomes of it; and text travels to Spark's executors.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc2397">RFC 2397</a>
 */
final class InlineStore {
  private static final String MARK = ";base64,";

  private InlineStore() {}

  static boolean isOne(String location) {
    return location.startsWith("data:");
  }

  /**
   * Puts PEM in the place of the store's location, type and passwords.
   *
   * @param store {@code ssl.truststore} or {@code ssl.keystore}
   * @throws IllegalArgumentException if it is no such store; the message shows nothing of it
   */
  static void toPem(String store, Map<String, String> settings) {
    String location = settings.remove(store + ".location");
    String password = settings.getOrDefault(store + ".password", "");
    String keyPassword = settings.getOrDefault("ssl.key.password", password);
    try {
      KeyStore content = KeyStore.getInstance("PKCS12");
      content.load(new ByteArrayInputStream(decoded(location)), password.toCharArray());
      List<String> aliases = Collections.list(content.aliases());
      if (store.endsWith("truststore")) {
        settings.put(store + ".certificates", certificates(content, aliases));
      } else {
        putKey(store, settings, content, aliases, keyPassword.toCharArray());
        settings.remove("ssl.key.password"); // the key is plain text from here on
      }
      settings.remove(store + ".password");
      settings.put(store + ".type", "PEM");
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "holds no PKCS12 store that %s.password (and ssl.key.password) opens".formatted(store),
          e);
    }
  }

  private static byte[] decoded(String location) {
    int mark = location.indexOf(MARK);
    if (mark < 0) {
      throw new IllegalArgumentException("is no data:;base64,... URI");
    }
    return Base64.getMimeDecoder().decode(location.substring(mark + MARK.length()));
  }

  private static String certificates(KeyStore content, List<String> aliases)
      throws GeneralSecurityException {
    List<Certificate> found = new ArrayList<>();
    for (String alias : aliases) {
      Certificate certificate = content.getCertificate(alias);
      if (certificate != null) {
        found.add(certificate);
      }
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "is a store in which Java finds no certificate: import it by keytool, or give PEM");
    }
    return Pem.certificates(found.toArray(Certificate[]::new));
  }

  private static void putKey(
      String store,
      Map<String, String> settings,
      KeyStore content,
      List<String> aliases,
      char[] password)
      throws GeneralSecurityException {
    List<String> keys = new ArrayList<>();
    for (String alias : aliases) {
      if (content.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
        keys.add(alias);
      }
    }
    if (keys.size() != 1) {
      throw new IllegalArgumentException(
          "is a store with %d private keys: one is needed".formatted(keys.size()));
    }
    PrivateKey key = (PrivateKey) content.getKey(keys.get(0), password);
    settings.put(store + ".key", Pem.key(key));
    settings.put(
        store + ".certificate.chain", Pem.certificates(content.getCertificateChain(keys.get(0))));
  }
}
