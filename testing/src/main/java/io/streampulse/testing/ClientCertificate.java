package io.streampulse.testing;

import java.nio.file.Path;

/**
 * A client's key and certificate for mutual TLS, in the two forms that clients read: a PKCS12
 * store, and PEM files. Nothing of it outlives the folder it is made in. Thread-safe.
 *
 * @param user who the broker takes the client for: the certificate's common name
 * @param keyStore PKCS12 store with the key, its certificate and the issuer's
 * @param password the password of the store and of its key
 * @param keyPem the key in PKCS#8, not encrypted
 * @param chainPem the certificate, then its issuer's
 */
public record ClientCertificate(
    String user, Path keyStore, String password, Path keyPem, Path chainPem) {}
