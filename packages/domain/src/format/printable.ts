/** Control characters, lone surrogates, line separators, and the marks that reverse or isolate the text after them. */
export const HARMFUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{061c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** A string from outside on one line of a mail, a chat or a terminal: harmful characters become U+FFFD. */
export function printable(text: string): string {
  return text.replace(HARMFUL, '\ufffd');
}
