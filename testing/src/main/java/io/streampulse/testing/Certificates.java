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
import java.util.UUID;

/**
 * A self-signed certificate for {@code localhost}, made at the moment it is needed by the JDK's
 * keytool, with the key store for the server and the trust store for its clients. Nothing of it
 * outlives the folder it is made in.
 *
 * @param keyStore PKCS12 store with the server's key
 * @param trustStore PKCS12 store with the certificate alone
 * @param password the password of both
 */
public record Certificates(Path keyStore, Path trustStore, String password) {
  private static final String ALIAS = "broker";

  /** Makes a new certificate for localhost and 127.0.0.1 in the folder. */
  public static Certificates create(Path folder) {
    String password = UUID.randomUUID().toString();
    Path keyStore = folder.resolve("broker.p12");
    Path trustStore = folder.resolve("trust.p12");
    try {
      Files.createDirectories(folder);
      keytool(
          List.of(
              "-genkeypair",
              "-alias",
              ALIAS,
              "-keyalg",
              "EC",
              "-groupname",
              "secp256r1",
              "-validity",
              "2",
              "-dname",
              "CN=localhost",
              "-ext",
              "SAN=dns:localhost,ip:127.0.0.1",
              "-storetype",
              "PKCS12",
              "-keystore",
              keyStore.toString(),
              "-storepass",
              password));
      copyCertificate(keyStore, trustStore, password.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("Can't make a certificate in " + folder, e);
    }
    return new Certificates(keyStore, trustStore, password);
  }

  private static void copyCertificate(Path from, Path to, char[] password)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(from)) {
      keys.load(in, password);
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    try (OutputStream out = Files.newOutputStream(to)) {
      trusted.store(out, password);
    }
  }

  private static void keytool(List<String> arguments) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command = new ArrayList<>(List.of(keytool.toString()));
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
