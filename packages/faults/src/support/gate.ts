import { connect, type Socket } from 'node:net';
import { bind, startListener } from '@hitherto/testing/listener';

/** An address of the server of a database, which can be unavailable; it is open at first. */
export async function startGate(url: string) {
  const upstream = Number(new URL(url).port);
  let isSilent = false;
  let awaited = 0;
  /** Held connections and their data, which must be read in order to notice their end. */
  const held = new Map<Socket, Buffer[]>();
  const listener = await startListener((client, own) => {
    const forward = (each: Socket, come: readonly Buffer[]) => {
      const server = own(connect(upstream, '127.0.0.1'));
      for (const chunk of come) server.write(chunk);
      bind(each.removeAllListeners('data').pipe(server).pipe(each), server);
    };
    if (isSilent) client.resume();
    else if (awaited === 0) forward(client, []);
    else {
      const come: Buffer[] = [];
      held.set(client, come);
      client.on('data', (chunk) => come.push(chunk));
      // A client that stops waiting connects again.
      client.on('close', () => held.delete(client));
      if (held.size < awaited) return;
      awaited = 0;
      for (const [each, chunks] of held) forward(each, chunks);
    }
  });
  const listen = (silently: boolean) => {
    isSilent = silently;
    return listener.listen();
  };
  return {
    /** The url of a database, by way of this address. */
    through: (database: string) => database.replace(/:\d+\//, `:${listener.port}/`),
    /** Refuses connections. */
    refuse: listener.refuse,
    /** Accepts connections and stays silent on them, even after the gate opens. */
    silence: () => listen(true),
    /** Holds connections until there are this many, then forwards them all at once. */
    holdUntil(count: number) {
      awaited = count;
      held.clear();
    },
    /** Forwards new connections to the server. */
    open: () => listen(false),
    close: listener.close,
  };
}
