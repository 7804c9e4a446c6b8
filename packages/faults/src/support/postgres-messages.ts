/** The statement name in a Bind message: the second of two zero-terminated strings. */
export function statementOf(bind: Buffer): string {
  const portalEnd = bind.indexOf(0, 5);
  return bind.toString('latin1', portalEnd + 1, bind.indexOf(0, portalEnd + 1));
}

/** Splits a stream into messages. A client's first message has no type, which is reported as an empty string. */
export function messages(fromClient: boolean, take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = fromClient;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return;
      take(isFirst ? '' : String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length));
      rest = rest.subarray(length);
      isFirst = false;
    }
  };
}
