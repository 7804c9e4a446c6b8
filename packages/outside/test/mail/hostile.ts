/** Texts that break out of markup, headers, lines and alignment where nothing is done about them. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=https://evil.example/x.png onerror=alert(1)>',
  '</td></table></style><style>*{display:none}</style>',
  '/a\r\nBcc: victim@evil.example\r\n\r\n<b>body</b>',
  '\u202eesrever\u2066\u001b[2J\0',
  '\ud800 é 🦊 ﷽ 日本語',
  `/${'x'.repeat(1_999)}`,
  `/${'"&<>'.repeat(500)}`,
  `/${'🦊'.repeat(1_000)}`,
  `a${'\u0301'.repeat(1_999)}`,
] as const;
