import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createTrap } from './trap.ts';

/** A point in the course of a mail. */
export const MAIL_POINTS = ['connection', 'sender', 'recipient', 'data', 'before the 250', 'after the 250'] as const;
type MailPoint = (typeof MAIL_POINTS)[number];

/** Starts a mail server on this machine. */
export async function startMailServer() {
  const taken: string[] = [];
  const trap = createTrap<MailPoint, () => void>();
  const reach = (point: MailPoint) => trap.spring((awaited) => awaited === point)?.act();
  const passing = (point: MailPoint) => (_what: unknown, _session: unknown, done: () => void) => {
    reach(point);
    done();
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onConnect: (session, done) => passing('connection')(undefined, session, done),
    onMailFrom: passing('sender'),
    onRcptTo: passing('recipient'),
    onData: async (stream, _session, done) => {
      reach('data');
      const mail = await text(stream).catch(() => undefined);
      // The sender was killed.
      if (mail === undefined) return;
      reach('before the 250');
      taken.push(/^Message-ID: <(.+)>\r?$/im.exec(mail)?.[1] ?? 'none');
      done();
      reach('after the 250');
    },
  });
  // A killed sender resets its connection.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    /** For SMTP_URL. */
    url: `smtp://127.0.0.1:${port}`,
    /** The Message-IDs of the mails accepted so far, in order. */
    taken: (): readonly string[] => taken,
    /** Acts at this point of the mail `after` mails from now. The mail goes on: who sends it may not. */
    at: trap.set,
    clear: trap.clear,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
