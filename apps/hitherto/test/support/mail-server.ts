import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A mail that a server got. */
export interface ReceivedMail {
  readonly messageId: string;
  readonly text: string;
}

/**
 * A mail server on this machine until the test ends, which knows as much of SMTP as the program speaks.
 *
 * @param accepts whether it says that it has taken a mail; else it stays silent
 */
export async function startMailServer(accepts: (mail: ReceivedMail) => boolean = () => true) {
  const mails: ReceivedMail[] = [];
  const server = createServer((socket) => {
    let text = '';
    let isData = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const receive = () => {
      const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
      if (end === -1) return;
      const part = text.slice(0, end);
      text = text.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        const mail = { messageId: /^Message-ID: <(.+)>\r?$/im.exec(part)?.[1] ?? '', text: part };
        mails.push(mail);
        if (accepts(mail)) say('250 taken');
      } else if (/^data/i.test(part)) {
        isData = true;
        say('354 go on');
      } else say(/^quit/i.test(part) ? '221 bye' : '250 fine');
      receive();
    };
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      receive();
    });
    say('220 here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mails };
}
