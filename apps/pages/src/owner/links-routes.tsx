import { DomainError, type Fault, InvalidFields } from '@hitherto/domain/base';
import { endOfDay, isDay, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type DefinitionRepositories, SEGMENT } from '@hitherto/domain/definitions';
import { createLink, LINK, type LinkDependencies, parseNewLink } from '@hitherto/domain/links';
import { deleteResource, listResources } from '@hitherto/domain/resources';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, type Form, valueIn } from '../shared/form.ts';
import { sendPage } from '../shared/page.tsx';
import { revokeLinkPath, sharePath, websitePath } from '../shared/paths.ts';
import { originOf, queryParameters } from '../shared/request.ts';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { EMPTY_LINK, type LinkFormValues, LinksPage } from './links-page.tsx';
import { requireLostPassword, withLostPassword } from './lost-password.tsx';
import { deleteOnce } from './not-found.ts';
import { accountOf, authorOf, requireWriteScope } from './session.ts';
import { WebsiteFrame } from './website-frame.tsx';

export interface LinksRoutesDependencies extends LinkDependencies, Pick<WebsiteDependencies, 'websites'> {
  readonly definitions: DefinitionRepositories;
  /** The installation's. */
  readonly zone: TimeZone;
}

type Shown = Pick<Parameters<typeof LinksPage>[0], 'created' | 'form'>;

/** The shared links of a website: listing, creating and revoking them (sharing.md, "Shared links"); the scope has a session. */
export function linksRoutes(scope: FastifyInstance, deps: LinksRoutesDependencies): void {
  const path = websitePath(':id', 'links');

  const send = async (request: FastifyRequest<ById>, reply: FastifyReply, shown: Partial<Shown> = {}) => {
    const website = await websiteOf(deps, request);
    const key = { accountId: accountOf(request), websiteId: website.id };
    const [links, segments] = await Promise.all([listResources(deps, LINK, key), listResources(deps, SEGMENT, key)]);
    const frame = frameOf(request, website, 'links');
    const { created, form = { values: EMPTY_LINK, faults: [] } } = shown;
    return sendPage(
      reply,
      <WebsiteFrame {...frame}>
        <LinksPage
          websiteId={website.id}
          links={links}
          segments={segments}
          zone={zoneOf(website, deps.zone)}
          now={deps.now()}
          canWrite={frame.canWrite}
          created={created}
          done={queryParameters(request).has('revoked') ? 'Revoked.' : undefined}
          form={form}
        />
      </WebsiteFrame>,
    );
  };

  scope.get<ById>(path, (request, reply) => send(request, reply));
  // A GET of a form's action URL redirects to the list.
  scope.get<ById>(revokeLinkPath(':id', ':link'), (request, reply) =>
    reply.redirect(websitePath(encodeURIComponent(request.params.id), 'links'), 303),
  );

  scope.register(async (writing) => {
    requireWriteScope(writing);

    // The address is in the response and nowhere else, so there is no redirect.
    writing.post<ById & Body>(path, async (request, reply) => {
      const website = await websiteOf(deps, request);
      const key = { accountId: accountOf(request), websiteId: website.id };
      const values = readValues(request.body);
      try {
        const input = readLink(values, zoneOf(website, deps.zone), deps.now());
        requireLostPassword(values);
        const { link, token } = await createLink({ ...deps, author: authorOf(request) }, key, input);
        return await send(request, reply.code(201), {
          created: {
            name: link.name,
            address: `${originOf(request)}${sharePath(token)}`,
            hasPassword: link.passwordHash !== null,
          },
        });
      } catch (error) {
        const rejection = rejectionOf(error);
        if (rejection === undefined) throw error;
        const faults = withLostPassword(values, rejection.faults);
        return send(request, reply.code(422), { form: { values, ...rejection, faults } });
      }
    });

    writing.post<{ Params: { id: string; link: string } }>(revokeLinkPath(':id', ':link'), async (request, reply) => {
      const website = await websiteOf(deps, request);
      const key = { accountId: accountOf(request), websiteId: website.id };
      const revoking = { ...deps, author: authorOf(request) };
      await deleteOnce(deleteResource(revoking, LINK, key, request.params.link.toLowerCase()));
      return reply.redirect(`${websitePath(website.id, 'links')}?revoked`, 303);
    });
  });
}

function readValues(form: Form): LinkFormValues {
  const text = (name: string) => valueIn(form, name) ?? '';
  return {
    name: text('name').trim(),
    segment: text('segment'),
    last_day: text('last_day'),
    password: text('password'),
    lost_password: text('lost_password'),
    no_password: text('no_password'),
  };
}

/** The link of a form, which ends with its last day. Throws `InvalidFields`. */
function readLink({ name, segment, last_day, password }: LinkFormValues, zone: TimeZone, now: Date) {
  const isFaulty = last_day !== '' && !isDay(last_day);
  const expires_at = last_day === '' || isFaulty ? null : endOfDay(zone, last_day).toISOString();
  const faults: Fault[] = isFaulty
    ? [{ field: 'last_day', code: 'not_allowed', detail: 'Enter a day, such as 2026-12-31.' }]
    : [];
  try {
    const input = parseNewLink({ name, segment: segment || null, expires_at, password: password || null }, now);
    if (!isFaulty) return input;
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    faults.push(...error.faults);
  }
  throw new InvalidFields(
    faults.map((fault) => ({ ...fault, field: fault.field === 'expires_at' ? 'last_day' : fault.field })),
  );
}

/** Why no link was created; `undefined` if the error has nothing to do with the form. */
function rejectionOf(error: unknown): { readonly faults: readonly Fault[]; readonly reason?: string } | undefined {
  if (error instanceof InvalidFields) return { faults: error.faults };
  if (error instanceof DomainError && error.code === 'too_many_links') return { faults: [], reason: error.message };
  return undefined;
}
