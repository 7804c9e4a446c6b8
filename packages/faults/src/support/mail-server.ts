import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A point in the course of a mail. */
export const MAIL_POINTS = ['connection', 'sender', 'recipient', 'data', 'before the 250', 'after the 250'] as const;
export type MailPoint = (typeof MAIL_POINTS)[number];

/** A mail server on this machine that remembers what it has taken. */
export interface MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  /** The Message-IDs of the mails taken so far, in order. */
  taken(): readonly string[];
  /** Calls `act` at this point of the mail `after` mails from now. The mail goes on: who sends it may not. */
  at(point: MailPoint, after: number, act: () => void): void;
  clear(): void;
  close(): Promise<void>;
}

/** Starts one. */
export async function startMailServer(): Promise<MailServer> {
  const taken: string[] = [];
  let trap: { readonly point: MailPoint; left: number; readonly act: () => void } | undefined;
  const reach = (point: MailPoint) => {
    if (trap?.point !== point) return;
    trap.left -= 1;
    if (trap.left >= 0) return;
    const { act } = trap;
    trap = undefined;
    act();
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onConnect: (_session, done) => {
      reach('connection');
      done();
    },
    onMailFrom: (_address, _session, done) => {
      reach('sender');
      done();
    },
    onRcptTo: (_address, _session, done) => {
      reach('recipient');
      done();
    },
    onData: (stream, _session, done) => {
      reach('data');
      let text = '';
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      stream.on('end', () => {
        reach('before the 250');
        taken.push(/^Message-ID: <(.+)>\r?$/im.exec(text)?.[1] ?? 'none');
        done();
        reach('after the 250');
      });
    },
  });
  // A killed sender resets its connection.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken: () => taken,
    at(point, after, act) {
      trap = { point, left: after, act };
    },
    clear() {
      trap = undefined;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
