package io.streampulse.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/**
 * The certificates of a broker with every login, and of its clients. Nothing of them outlives the
 * folder they are made in. Thread-safe.
 *
 * @param broker of the listeners that clients can trust
 * @param expired of a listener of its own; it was valid until last week
 * @param otherHost of a listener of its own; it is for another host than localhost
 * @param client of a client that the broker lets in
 * @param unknownClient of a client with the same name, from an issuer that the broker doesn't know
 */
record LoginCertificates(
    Certificates broker,
    Certificates expired,
    Certificates otherHost,
    ClientCertificate client,
    ClientCertificate unknownClient) {
  private static final String LOCALHOST = "dns:localhost,ip:127.0.0.1";
  private static final String USER = "certified";

  /** Makes them all in the folder. */
  static LoginCertificates create(Path folder) {
    try {
      CertificateAuthority authority = CertificateAuthority.create(folder);
      CertificateAuthority unknown = CertificateAuthority.create(folder.resolve("unknown"));
      return new LoginCertificates(
          authority.server("broker", LOCALHOST),
          authority.expiredServer("expired", LOCALHOST),
          authority.server("other-host", "dns:broker.example"),
          authority.client(USER),
          unknown.client(USER));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("Can't make certificates in " + folder, e);
    }
  }
}
