import { isDeepStrictEqual } from 'node:util';
import type { AlertRepository } from '@hitherto/domain/alerts';
import { type Fault, InvalidFields, NameTaken } from '@hitherto/domain/base';
import { dayOf, namedPeriod, zoneOf } from '@hitherto/domain/calendar';
import type { Authored } from '@hitherto/domain/changes';
import {
  type Contents,
  DEFINITION_LIMITS,
  DEFINITION_TYPES,
  type Definition,
  type DefinitionKind,
  type DefinitionRepositories,
  type NewDefinition,
} from '@hitherto/domain/definitions';
import type { StatisticsQuery, StatisticsRepository } from '@hitherto/domain/engine';
import { createResource, listResources } from '@hitherto/domain/resources';
import type { JSX } from 'preact';
import { statisticsPath, type WebsitePage, websitePath } from '../../../shared/paths.ts';
import { TextField } from '../../field.tsx';
import type { OpenedWebsite, OpeningWebsites } from '../opened.tsx';
import { isFull } from '../rejection.ts';
import type { FormFields, ResourcePages } from '../resource-pages.ts';
import { updateOnce } from '../versions.ts';

/** The dependencies of the pages of segments, goals and funnels. */
export interface DefinitionPagesDependencies extends OpeningWebsites {
  readonly definitions: DefinitionRepositories;
  readonly statistics: StatisticsRepository;
  readonly alerts: AlertRepository;
}

type Pages<Kind extends DefinitionKind, Found extends OpenedWebsite> = ResourcePages<
  DefinitionPagesDependencies,
  Found,
  Definition<Kind>
>;

/** All that distinguishes the pages of segments, goals and funnels from each other. */
interface DefinitionPages<Kind extends DefinitionKind, Found extends OpenedWebsite>
  extends Pick<Pages<Kind, Found>, 'texts' | 'open' | 'summarize' | 'warn' | 'blank' | 'controls' | 'rearrange'> {
  readonly kind: Kind;
  readonly page: WebsitePage;
  /** The parameter of the statistics page that chooses visits by one of them. */
  readonly parameter?: string;

  /** The form for this content. */
  fieldsOf(content: Contents[Kind], found: Found): FormFields;
  /** The content that the form stands for, if it can show all of it: values as if they had been typed. */
  asTyped(content: Contents[Kind], found: Found): Contents[Kind];
  /** Throws `InvalidFields`, with the names of the domain. */
  parse(fields: FormFields, found: Found): NewDefinition<Kind>;
  /** A fault of the domain, by the name of the form's field. */
  placeFault(fault: Fault, fields: FormFields, found: Found): Fault;
  /** How often it happened in these days. Throws `InvalidFields` if the content names a goal that does not exist. */
  preview(
    deps: DefinitionPagesDependencies,
    found: Found,
    query: StatisticsQuery,
    content: Contents[Kind],
  ): Promise<JSX.Element>;
}

/** The pages of a kind of definition. */
export function definitionPages<Kind extends DefinitionKind, Found extends OpenedWebsite>({
  kind,
  page,
  parameter,
  fieldsOf,
  asTyped,
  parse,
  placeFault,
  preview,
  controls,
  ...own
}: DefinitionPages<Kind, Found>): Pages<Kind, Found> {
  const type = DEFINITION_TYPES[kind];
  return {
    ...own,
    type,
    list: websitePath(':id', page),
    limit: DEFINITION_LIMITS[kind],
    forms: 'page',
    nameOf: ({ name }) => name,
    ...(parameter === undefined
      ? {}
      : { statisticsHref: ({ website }, { id }) => `${statisticsPath(website.id)}?${parameter}=${id}` }),

    fieldsOf(_deps, found, { name, content }) {
      const fields = { ...fieldsOf(content, found), name };
      return isReadBack(() => parse(fields, found).content, asTyped(content, found)) ? fields : undefined;
    },

    async controls(deps, found, form) {
      return (
        <>
          <TextField
            name="name"
            label={found.locale.words.resources.name}
            value={form.fields.name}
            faults={form.faults}
            dir="auto"
            required
            autocomplete="off"
          />
          {await controls(deps, found, form)}
        </>
      );
    },

    placeFaults: (faults, fields, found) => faults.map((fault) => placeFault(fault, fields, found)),

    async preview(deps, found, fields) {
      const { words, format } = found.locale;
      const query = recentDays(deps, found);
      // People may not have thought of a name yet.
      const { content } = parse(fields.name?.trim() ? fields : { ...fields, name: '-' }, found);
      return (
        <section class="card outcome" role="status">
          <h2>{words.resources.recently(format.period(query.from, query.to))}</h2>
          {await preview(deps, found, query, content)}
        </section>
      );
    },

    create: async (deps, found, fields) => ({ created: await createOnce(deps, kind, found, parse(fields, found)) }),
    update(deps, found, stored, fields, precondition) {
      const { name, content } = parse(fields, found);
      return updateOnce(deps, type, found.owner, stored, { name, change: () => content }, precondition);
    },
  };
}

/** The last 28 days of a website. */
export function recentDays({ zone, now }: OpeningWebsites, { website }: OpenedWebsite): StatisticsQuery {
  return { websiteId: website.id, ...namedPeriod('28d', dayOf(zoneOf(website, zone), now())), filters: [] };
}

/** The lines of a field that are not blank, with their numbers from 1. */
export function linesOf(text = ''): { readonly line: number; readonly text: string }[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, text: line }))
    .filter((line) => line.text.trim() !== '');
}

/** Creates a definition. A form that is sent twice does the same as one that is sent once. */
async function createOnce<Kind extends DefinitionKind>(
  deps: DefinitionPagesDependencies & Authored,
  kind: Kind,
  { owner }: OpenedWebsite,
  input: NewDefinition<Kind>,
): Promise<Definition<Kind>> {
  const type = DEFINITION_TYPES[kind];
  try {
    return await createResource(deps, type, owner, input);
  } catch (error) {
    if (!(error instanceof NameTaken) && !isFull(error, kind)) throw error;
    const all = await listResources(deps, type, owner);
    const saved = all.find(({ name, content }) => isDeepStrictEqual({ name, content }, input));
    if (saved === undefined) throw error;
    return saved;
  }
}

/** Whether the form can show all of the content. */
function isReadBack<Content>(read: () => Content, content: Content): boolean {
  try {
    return isDeepStrictEqual(read(), content);
  } catch (error) {
    if (error instanceof InvalidFields) return false;
    throw error;
  }
}
