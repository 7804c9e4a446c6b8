import type { FastifyReply } from 'fastify';
import { MessagePage } from '../components/message-page.tsx';
import { ASSETS } from './assets.ts';
import { sendPage } from './send-page.ts';

/** Refuses a write that another site sent. */
export function sendForeignOrigin(reply: FastifyReply): FastifyReply {
  return sendRefusal(
    reply,
    'This request came from another site',
    'Nothing was changed. Open the page on this site and send the form from there. If you did, PUBLIC_URL differs from the address that you use.',
  );
}

/** A page with status 403. */
export function sendRefusal(reply: FastifyReply, title: string, text: string): FastifyReply {
  return sendPage(
    reply.code(403),
    <MessagePage title={title} assets={ASSETS}>
      <p>{text}</p>
    </MessagePage>,
  );
}
