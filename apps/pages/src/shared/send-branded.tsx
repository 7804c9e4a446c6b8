import { type AccessRepository, NO_BRAND } from '@hitherto/domain/access';
import type { FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { InBrand } from './brand.tsx';
import { sendPage } from './page.tsx';

/** Sends a page in the look of an account. */
export async function sendBranded(
  { access }: { readonly access: Pick<AccessRepository, 'findAccount'> },
  accountId: string,
  reply: FastifyReply,
  page: VNode,
): Promise<FastifyReply> {
  const brand = (await access.findAccount(accountId))?.brand ?? NO_BRAND;
  return sendPage(reply, <InBrand brand={brand}>{page}</InBrand>);
}
