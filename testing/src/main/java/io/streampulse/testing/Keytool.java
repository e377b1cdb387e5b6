package io.streampulse.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

/** The JDK's keytool, and the PKCS12 stores it writes. Thread-safe for different files. */
final class Keytool {
  private static final List<String> FOR_A_SHORT_LIFE =
      List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC");

  private Keytool() {}

  /**
   * Makes a key on the curve P-256 with a certificate, in a store that is made where it is not
   * there.
   *
   * @param more arguments that say what the certificate is for, whose signature it has, and when it
   *     is valid
   */
  static void makeKey(Path store, String password, String alias, String name, List<String> more)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                name,
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                password));
    arguments.addAll(more);
    run(arguments);
  }

  /** Reads a store. */
  static KeyStore load(Path store, String password) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password.toCharArray());
    }
    return keys;
  }

  /** Writes a store that has one entry. */
  static void save(Path store, String password, String alias, KeyStore.Entry entry)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    boolean secret = entry instanceof KeyStore.PrivateKeyEntry;
    keys.setEntry(alias, entry, secret ? protection(password) : null);
    try (OutputStream out = Files.newOutputStream(store)) {
      keys.store(out, password.toCharArray());
    }
  }

  /** The key of a store with its chain of certificates. */
  static KeyStore.PrivateKeyEntry key(KeyStore keys, String password, String alias)
      throws GeneralSecurityException {
    return (KeyStore.PrivateKeyEntry) keys.getEntry(alias, protection(password));
  }

  private static KeyStore.PasswordProtection protection(String password) {
    return new KeyStore.PasswordProtection(password.toCharArray());
  }

  private static void run(List<String> arguments) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command = new ArrayList<>(List.of(keytool.toString()));
    command.addAll(FOR_A_SHORT_LIFE);
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("keytool failed: " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool ran", e);
    }
  }
}
