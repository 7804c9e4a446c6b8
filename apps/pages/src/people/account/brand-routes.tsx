import {
  type BrandDependencies,
  type BrandFault,
  type BrandInput,
  brandFaultText,
  changeBrand,
} from '@hitherto/domain/access';
import { BODY_LIMIT, HttpProblem, unsupportedType } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FindingAccounts } from '../../owner/accounts.tsx';
import { authorOf } from '../../owner/session.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { brandPath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import { BrandForm, BrandPreview } from './brand-page.tsx';
import { AccountFrame, accountIn, type OfAccount } from './own-account.tsx';

export interface BrandRoutesDependencies extends Omit<BrandDependencies, 'author' | 'access'>, FindingAccounts {}

const MULTIPART = 'multipart/form-data';

/** How the public pages and the mails of an account look (sharing.md, "Your own look"). The scope is of its owners. */
export function brandRoutes(scope: FastifyInstance, deps: BrandRoutesDependencies): void {
  scope.removeAllContentTypeParsers();
  // The form has a small file at most, so that all of it may be read at once.
  scope.addContentTypeParser(MULTIPART, { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );

  scope.get<OfAccount>(brandPath(':id'), (request, reply) => send(request, reply, undefined, []));

  const takenBodies = { types: [MULTIPART], limit: BODY_LIMIT };
  scope.post<OfAccount>(brandPath(':id'), { config: { takenBodies } }, async (request, reply) => {
    const { id } = await accountIn(deps, request);
    const input = await readForm(request);
    const faults = await changeBrand({ ...deps, author: authorOf(request) }, id, input);
    if (faults.length === 0) return reply.redirect(`${brandPath(id)}?saved`, 303);
    return send(request, reply.code(422), input, faults);
  });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    sent: BrandInput | undefined,
    found: readonly BrandFault[],
  ): Promise<FastifyReply> {
    const account = await accountIn(deps, request);
    const locale = localeFor(request);
    const { brand } = account;
    const faults = found.map((fault) => ({
      field: fault.field,
      code: 'not_allowed' as const,
      detail: brandFaultText(fault, locale),
    }));
    const { name, accent } = sent ?? brand;
    return sendPage(
      reply,
      <AccountFrame request={request} account={account} page="brand">
        {queryParameters(request).has('saved') && (
          <p class="notice" role="status">
            {locale.words.people.saved}
          </p>
        )}
        <BrandPreview brand={brand} />
        <BrandForm
          action={brandPath(account.id)}
          name={name ?? ''}
          accent={accent ?? ''}
          hasLogo={brand.logo !== null}
          faults={faults}
        />
      </AccountFrame>,
    );
  }
}

/** The fields and the file of the form. */
async function readForm(request: FastifyRequest): Promise<BrandInput> {
  const { body, headers } = request;
  const type = headers['content-type'];
  if (!Buffer.isBuffer(body) || type === undefined) throw unsupportedType(request);
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new HttpProblem('bad_request', 'The form cannot be read.');
  }
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const file = form.get('logo');
  // A browser sends an empty file where none was chosen.
  const isChosen = file !== null && typeof file !== 'string' && file.size > 0;
  const logo = isChosen ? new Uint8Array(await file.arrayBuffer()) : text('remove_logo') === '1' ? null : undefined;
  return { name: text('name'), accent: text('accent'), logo };
}
