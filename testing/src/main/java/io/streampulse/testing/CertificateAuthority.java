package io.streampulse.testing;

import io.streampulse.connection.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * An authority that issues certificates to servers and clients, for tests that need more than one.
 * Who trusts the authority trusts them all. Nothing of it outlives the folder it is made in. Not
 * thread-safe: all its keys are in one file.
 */
final class CertificateAuthority {
  private static final String ALIAS = "authority";
  private static final String ORGANIZATION = ",O=Streampulse tests";
  private static final List<String> UNTIL_TOMORROW = List.of("-validity", "2");
  private static final List<String> UNTIL_LAST_WEEK =
      List.of("-startdate", "-9d", "-validity", "2");

  private final Path folder;
  private final Path keys;
  private final Path trustStore;
  private final String password;

  private CertificateAuthority(Path folder, String password) {
    this.folder = folder;
    this.keys = folder.resolve("authority.p12");
    this.trustStore = folder.resolve("trust.p12");
    this.password = password;
  }

  /**
   * A new authority. All of them have the same name, or else a client would not send what another
   * one has issued: the broker tells it the names of those it trusts.
   */
  static CertificateAuthority create(Path folder) throws IOException, GeneralSecurityException {
    CertificateAuthority authority = new CertificateAuthority(folder, UUID.randomUUID().toString());
    Files.createDirectories(folder);
    KeyStore.PrivateKeyEntry key =
        authority.makeKey(ALIAS, "Authority", UNTIL_TOMORROW, List.of("-ext", "bc:c"));
    Certificates.trust(authority.trustStore, authority.password, key.getCertificate());
    return authority;
  }

  /**
   * Issues a certificate to a server.
   *
   * @param file the name of its key store, without an extension
   * @param names such as {@code dns:localhost,ip:127.0.0.1}
   */
  Certificates server(String file, String names) throws IOException, GeneralSecurityException {
    return server(file, names, UNTIL_TOMORROW);
  }

  /** Issues a certificate to a server that was valid until last week. */
  Certificates expiredServer(String file, String names)
      throws IOException, GeneralSecurityException {
    return server(file, names, UNTIL_LAST_WEEK);
  }

  /** Issues a certificate to a client, with the user as its common name. */
  ClientCertificate client(String user) throws IOException, GeneralSecurityException {
    KeyStore.PrivateKeyEntry key =
        issue("client", user, UNTIL_TOMORROW, List.of("-ext", "eku=clientAuth"));
    Path keyPem = folder.resolve("client-key.pem");
    Path chainPem = folder.resolve("client-chain.pem");
    Files.writeString(keyPem, Pem.key(key.getPrivateKey()));
    Files.writeString(chainPem, Pem.certificates(key.getCertificateChain()));
    return new ClientCertificate(user, store("client"), password, keyPem, chainPem);
  }

  private Certificates server(String file, String names, List<String> validity)
      throws IOException, GeneralSecurityException {
    issue(file, file, validity, List.of("-ext", "SAN=" + names));
    return new Certificates(store(file), trustStore, password);
  }

  /** Issues a certificate and gives it a store of its own, where no other can be chosen. */
  private KeyStore.PrivateKeyEntry issue(
      String alias, String commonName, List<String> validity, List<String> purpose)
      throws IOException, GeneralSecurityException {
    List<String> more = new ArrayList<>(purpose);
    more.addAll(List.of("-signer", ALIAS));
    KeyStore.PrivateKeyEntry key = makeKey(alias, commonName, validity, more);
    Keytool.save(store(alias), password, alias, key);
    return key;
  }

  private KeyStore.PrivateKeyEntry makeKey(
      String alias, String commonName, List<String> validity, List<String> more)
      throws IOException, GeneralSecurityException {
    List<String> arguments = new ArrayList<>(validity);
    arguments.addAll(more);
    Keytool.makeKey(keys, password, alias, "CN=" + commonName + ORGANIZATION, arguments);
    return Keytool.key(Keytool.load(keys, password), password, alias);
  }

  private Path store(String name) {
    return folder.resolve(name + ".p12");
  }
}
