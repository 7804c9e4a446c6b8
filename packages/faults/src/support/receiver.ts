import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTrap } from './trap.ts';

/** A point in the course of a delivery. */
export const DELIVERY_POINTS = ['before the response', 'after the response'] as const;
type DeliveryPoint = (typeof DELIVERY_POINTS)[number];

/** Starts a receiver of webhooks on this machine. */
export async function startReceiver() {
  const received: { readonly id: string; readonly type: string; readonly websiteId: string }[] = [];
  const trap = createTrap<DeliveryPoint, () => void>();
  const reach = (point: DeliveryPoint) => trap.spring((awaited) => awaited === point)?.act();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
    } catch {
      // The sender was killed.
      return;
    }
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
      type: string;
      data: { website: { id: string } };
    };
    received.push({ id: String(request.headers['webhook-id']), type, websiteId: data.website.id });
    reach('before the response');
    response.writeHead(204).end();
    reach('after the response');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    /** The deliveries so far, in order. */
    received: () => received,
    /** Acts at this point of the delivery `after` deliveries from now. */
    at: trap.set,
    clear: trap.clear,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
