package io.streampulse.agent.mapping;

/** Shortens texts. */
final class Texts {
  private Texts() {}

  /** At most so many chars, never ending in half a surrogate pair; null stays null. */
  static String capped(String text, int mostChars) {
    if (text == null || text.length() <= mostChars) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(mostChars - 1)) ? mostChars - 1 : mostChars;
    return text.substring(0, end);
  }
}
