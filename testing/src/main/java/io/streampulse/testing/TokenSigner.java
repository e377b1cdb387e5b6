package io.streampulse.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.Map;

/**
 * Signs JSON Web Tokens by RS256 with an RSA key of its own, made at the moment it is needed.
 * Thread-safe.
 */
final class TokenSigner {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ALGORITHM = "RS256";
  private static final String KEY_ID = "streampulse-test";
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final KeyPair keys;

  private TokenSigner(KeyPair keys) {
    this.keys = keys;
  }

  /** A signer with a new key. All of them give their keys the same id. */
  static TokenSigner create() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return new TokenSigner(generator.generateKeyPair());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("No RSA key", e);
    }
  }

  /** The public key as a JSON Web Key Set. */
  String keySet() {
    RSAPublicKey key = (RSAPublicKey) keys.getPublic();
    String json =
        json(
            Map.of(
                "kty",
                "RSA",
                "use",
                "sig",
                "alg",
                ALGORITHM,
                "kid",
                KEY_ID,
                "n",
                number(key.getModulus()),
                "e",
                number(key.getPublicExponent())));
    return "{\"keys\":[" + json + "]}";
  }

  /** A signed token with these claims. */
  String sign(Map<String, Object> claims) {
    String header = json(Map.of("alg", ALGORITHM, "typ", "JWT", "kid", KEY_ID));
    String content = text(header) + "." + text(json(claims));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(keys.getPrivate());
      signature.update(content.getBytes(StandardCharsets.US_ASCII));
      return content + "." + BASE64.encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Can't sign a token", e);
    }
  }

  /** An object as JSON. */
  static String json(Map<String, ?> members) {
    try {
      return JSON.writeValueAsString(members);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't write " + members.keySet(), e);
    }
  }

  private static String text(String json) {
    return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }

  /** A positive number without the byte that only holds its sign. */
  private static String number(BigInteger number) {
    byte[] bytes = number.toByteArray();
    int sign = bytes[0] == 0 ? 1 : 0;
    byte[] magnitude = new byte[bytes.length - sign];
    System.arraycopy(bytes, sign, magnitude, 0, magnitude.length);
    return BASE64.encodeToString(magnitude);
  }
}
