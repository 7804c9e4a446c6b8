import type { Precondition, Versioned } from '@hitherto/domain/base';
import { createResource, createResourceOnce, type Owner, type Resource } from '@hitherto/domain/resources';
import { BODY_LIMIT, decodeJsonBodies, ignoreBodies, isNotModified } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { idempotencyKeyOf } from '../requests/input.ts';
import { preconditionOf, withoutState } from '../requests/versions.ts';

/** A request about resources of a website, or of the account. */
export type ResourceRequest<Body = unknown> = FastifyRequest<{ Params: { readonly id: string }; Body: Body }>;

/** The requests that a kind of resource handles in its own way; the rest is the same for all kinds. */
interface ResourceHandlers<Stored extends Resource, Body> {
  /** The path of the list, and of one resource. */
  readonly all: string;
  readonly one: string;
  readonly documented: {
    readonly list: FastifySchema;
    readonly show?: FastifySchema;
    readonly create: FastifySchema;
    readonly update?: FastifySchema;
    readonly remove: FastifySchema;
  };
  /** The list has parameters, whose faults its handler reports with its own. */
  readonly listHasParameters?: true;
  /** Preconditions compare entity tags without the state that they contain. */
  readonly hasState?: boolean;

  /** Before the schema sees the body. */
  shorten?(body: unknown): unknown;
  list(request: ResourceRequest, reply: FastifyReply): Promise<readonly object[]>;
  show?(request: ResourceRequest): Promise<Stored>;
  /** The resource, whether an earlier request created it, and what only this response shows. */
  create(request: ResourceRequest<Body>): Promise<Created<Stored>>;
  update?(request: ResourceRequest<Body>, precondition: Precondition | undefined): Promise<Stored>;
  remove?(request: ResourceRequest, precondition: Precondition | undefined): Promise<void>;
  /** In place of `remove`: the resource, which goes later. Creates, too, are accepted and done later. */
  removeLater?(request: ResourceRequest, precondition: Precondition | undefined): Promise<Stored>;

  /** How a response shows the resource, and its entity tag, if it has one. */
  write(resource: Stored, request: ResourceRequest): Shown | Promise<Shown>;
}

interface Created<Stored> {
  readonly resource: Stored;
  readonly replayed?: boolean;
  readonly location?: string;
  readonly more?: object;
}

interface Shown {
  readonly data: object;
  readonly etag?: string;
}

/** The routes of a kind of resource (api.md, "Retries and concurrency"), in the authenticated scope. */
export function resourceRoutes<Stored extends Resource, Body>(
  app: FastifyInstance,
  handlers: ResourceHandlers<Stored, Body>,
): void {
  const { all, one, documented } = handlers;
  const conditionOf = (request: FastifyRequest) =>
    preconditionOf(request, handlers.hasState ? withoutState : undefined);
  const shown = async (request: ResourceRequest, reply: FastifyReply, resource: Stored, more: object = {}) => {
    const { data, etag } = await handlers.write(resource, request);
    if (etag !== undefined) reply.header('etag', etag);
    return { data: { ...data, ...more } };
  };
  type Route<Sent = unknown> = { Params: { readonly id: string }; Body: Sent };
  const merging = { mergesFaults: true } as const;

  app.register(async (reading) => {
    const config = handlers.listHasParameters ? merging : {};
    reading.get<Route>(all, { schema: documented.list, config }, async (request, reply) => ({
      data: await handlers.list(request, reply),
    }));

    if (handlers.show === undefined || documented.show === undefined) return;
    const { show } = handlers;
    reading.get<Route>(one, { schema: documented.show }, async (request, reply) => {
      const { data, etag = '' } = await handlers.write(await show(request), request);
      reply.header('etag', etag);
      return isNotModified(request, etag) ? reply.code(304).send() : { data };
    });
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);
    const { shorten, update } = handlers;
    if (shorten !== undefined) {
      writing.addHook('preValidation', (request, _reply, done) => {
        request.body = shorten(request.body);
        done();
      });
    }

    writing.post<Route<Body>>(all, { schema: documented.create, config: merging }, async (request, reply) => {
      const { resource, replayed, location, more } = await handlers.create(request);
      if (replayed) reply.header('idempotent-replayed', 'true');
      if (location !== undefined) reply.header('location', location);
      reply.code(handlers.removeLater === undefined ? 201 : 202);
      return shown(request, reply, resource, more);
    });

    if (update === undefined || documented.update === undefined) return;
    writing.patch<Route<Body>>(one, { schema: documented.update, config: merging }, async (request, reply) =>
      shown(request, reply, await update(request, conditionOf(request))),
    );
  });

  app.register(async (deleting) => {
    ignoreBodies(deleting);

    deleting.delete<Route>(one, { schema: documented.remove }, async (request, reply) => {
      if (handlers.removeLater !== undefined) {
        const resource = await handlers.removeLater(request, conditionOf(request));
        reply.code(202);
        return shown(request, reply, resource);
      }
      await handlers.remove?.(request, conditionOf(request));
      return reply.code(204).send();
    });
  });
}

/** The id in a path, in lower case. */
export function idIn({ params }: { readonly params: unknown }, parameter: `${string}_id`): string {
  return (params as Readonly<Record<string, string>>)[parameter]?.toLowerCase() ?? '';
}

/** Creates a resource, once if the request has an `Idempotency-Key`. */
export async function createRepeatably<Own extends Owner, Stored extends Resource & Versioned, New, Deps>(
  request: FastifyRequest,
  deps: Parameters<typeof createResourceOnce<Own, Stored, New, Deps>>[0],
  type: Parameters<typeof createResourceOnce<Own, Stored, New, Deps>>[1],
  owner: Own,
  readInput: () => New,
): Promise<Created<Stored>> {
  const key = idempotencyKeyOf(request);
  const input = readInput();
  if (key !== undefined) return createResourceOnce(deps, type, owner, input, key);
  return { resource: await createResource(deps, type, owner, input) };
}
