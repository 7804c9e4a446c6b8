import { isDeepStrictEqual } from 'node:util';
import { InvalidFields } from '@hitherto/domain/base';
import { DEFINITION_TYPES, type Definition, type DefinitionKind } from '@hitherto/domain/definitions';
import { showResource } from '@hitherto/domain/resources';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import { type Body, valuesIn } from '../../shared/form.ts';
import { sendPage } from '../../shared/page.tsx';
import { definitionPath, newDefinitionPath, websitePath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import { type ById, frameOf } from '../found-website.ts';
import { isNotFound } from '../not-found.ts';
import { authorOf, requireWriteScope } from '../session.ts';
import { versionOf } from '../versions.ts';
import { WebsiteFrame } from '../website-frame.tsx';
import { DefinitionForm } from './definition-form.tsx';
import type { DefinitionPages, FormFields } from './definition-pages.ts';
import {
  type DefinitionRoutesDependencies,
  type One,
  type OpenedWebsite,
  openWebsite,
  storedOne,
  summaryOf,
} from './open-website.ts';
import { type Rejection, rejectionOf, saveDefinition } from './save-definition.ts';

/** The website of a form, and the form's choices. */
interface Opened<Aids> extends OpenedWebsite {
  readonly aids: Aids;
}

interface FormState {
  readonly fields: FormFields;
  readonly rejection?: Omit<Rejection, 'status'>;
  readonly preview?: JSX.Element;
  /** Whether the form can show the stored definition, or the parameters of its address. */
  readonly isComplete?: boolean;
  readonly edited?: Edited | undefined;
}

/** The definition that a form changes. */
interface Edited {
  readonly id: string;
  readonly version: string | undefined;
  /** The stored definition, if it differs from the one that the form showed. */
  readonly now?: JSX.Element | undefined;
}

/** The form of a new definition, and of each that is stored. */
export function formRoutes<Kind extends DefinitionKind, Aids>(
  scope: FastifyInstance,
  deps: DefinitionRoutesDependencies,
  pages: DefinitionPages<Kind, Aids>,
): void {
  const { kind, page } = pages;
  const newPath = newDefinitionPath(':id', page);
  const onePath = definitionPath(':id', page, ':definition');

  const open = async (request: FastifyRequest<ById>): Promise<Opened<Aids>> => {
    const opened = await openWebsite(deps, request);
    return { ...opened, aids: await pages.readAids(deps, opened) };
  };

  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    { shown, query, aids }: Opened<Aids>,
    { fields, rejection, preview, isComplete = true, edited }: FormState,
  ) => {
    const frame = frameOf(request, shown, page);
    const action = edited === undefined ? newDefinitionPath(shown.id, page) : definitionPath(shown.id, page, edited.id);
    const faults = (rejection?.faults ?? []).map((fault) => pages.placeFault(fault, fields, aids));
    return sendPage(
      reply,
      <WebsiteFrame {...frame} title={edited === undefined ? `Add a ${kind}` : `Change a ${kind}`}>
        <DefinitionForm
          kind={kind}
          action={action}
          fields={fields}
          faults={faults}
          reason={rejection?.reason}
          now={edited?.now}
          version={edited?.version}
          preview={preview && { period: query, numbers: preview }}
          canWrite={frame.canWrite}
        >
          {isComplete ? <pages.Fields fields={fields} faults={faults} aids={aids} /> : undefined}
        </DefinitionForm>
      </WebsiteFrame>,
    );
  };

  const receive = async (
    request: FastifyRequest<Body>,
    reply: FastifyReply,
    opened: Opened<Aids>,
    stored?: Definition<Kind>,
  ) => {
    const fields = valuesIn(request.body);
    const { action, version } = fields;
    const edited = stored && { id: stored.id, version };
    try {
      const rearranged = pages.rearrange?.(fields);
      if (rearranged !== undefined) return show(request, reply, opened, { fields: rearranged, edited });
      if (action === 'preview') {
        const { content } = pages.parse(named(fields), opened.aids);
        const preview = await pages.preview(deps, opened, content);
        return show(request, reply, opened, { fields, preview, edited });
      }
      const input = pages.parse(fields, opened.aids);
      const saving = { ...deps, author: authorOf(request) };
      await saveDefinition(saving, kind, opened.website, input, stored && { stored, version });
      return reply.redirect(`${websitePath(opened.shown.id, page)}?saved`, 303);
    } catch (error) {
      const rejection = rejectionOf(error, kind);
      if (rejection === undefined) throw error;
      const again = rejection.status === 409 && edited ? await current(opened, edited.id) : edited;
      return show(request, reply.code(rejection.status), opened, { fields, rejection, edited: again });
    }
  };

  /** The stored definition: a person who saves again has seen it. */
  const current = async (opened: Opened<Aids>, id: string): Promise<Edited> => {
    const definition = await showResource(deps, DEFINITION_TYPES[kind], opened.website, id);
    return { id, version: versionOf(definition), now: await summaryOf(deps, pages, opened, definition) };
  };

  scope.get<ById>(newPath, async (request, reply) => {
    const opened = await open(request);
    const query = queryParameters(request);
    const fields = pages.fieldsOfQuery(query, opened.aids);
    return show(request, reply, opened, { fields, isComplete: pages.canShow?.(query, opened.aids) ?? true });
  });

  scope.get<One>(onePath, async (request, reply) => {
    const opened = await open(request);
    const definition = await storedOne(deps, kind, opened, request);
    const fields = { ...pages.fieldsOf(definition.content, opened.aids), name: definition.name };
    const edited = { id: definition.id, version: versionOf(definition) };
    const isComplete = isReadBack(pages, definition, fields, opened.aids);
    return show(request, reply, opened, { fields, isComplete, edited });
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);

    writing.post<ById & Body>(newPath, async (request, reply) => receive(request, reply, await open(request)));

    writing.post<One & Body>(onePath, async (request, reply) => {
      const opened = await open(request);
      try {
        return await receive(request, reply, opened, await storedOne(deps, kind, opened, request));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const reason = `This ${kind} was deleted elsewhere after you opened this page. Save again to add it as a new one.`;
        const fields = valuesIn(request.body);
        return show(request, reply.code(404), opened, { fields, rejection: { faults: [], reason } });
      }
    });
  });
}

/** A preview needs no name, which people may not have thought of yet. */
function named(fields: FormFields): FormFields {
  return fields.name?.trim() ? fields : { ...fields, name: '-' };
}

/** Whether the form can show all of the content. */
function isReadBack<Kind extends DefinitionKind, Aids>(
  pages: Pick<DefinitionPages<Kind, Aids>, 'parse' | 'asTyped'>,
  { content }: Definition<Kind>,
  fields: FormFields,
  aids: Aids,
): boolean {
  try {
    return isDeepStrictEqual(pages.parse(fields, aids).content, pages.asTyped(content));
  } catch (error) {
    if (error instanceof InvalidFields) return false;
    throw error;
  }
}
