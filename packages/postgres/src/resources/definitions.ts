import { isId, NameTaken, SegmentInUse } from '@hitherto/domain/base';
import {
  DEFINITION_LIMITS,
  type Definition,
  type DefinitionKind,
  type DefinitionRepositories,
  type DefinitionRepository,
  tooManyDefinitions,
} from '@hitherto/domain/definitions';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { type Placeholders, type Query, statement } from '../connection/statement.ts';
import { createOwned, type OwnedDependencies } from './owned.ts';

type OfKind = WebsiteKey & { readonly kind: DefinitionKind };

const ofWebsite = (p: Placeholders<OfKind>) => sql`
  website.account_id = ${p('accountId')} and website.id = ${p('websiteId')} and definition.kind = ${p('kind')}`;

const sumSizes = statement(
  'sum_sizes_of_definitions',
  (p: Placeholders<OfKind>) => sql<{ bytes: number }>`
    select coalesce(sum(octet_length(definition.content::text)), 0)::int as bytes
    from website join definition on definition.website_number = website.number where ${ofWebsite(p)}`,
);

const COLUMNS = sql`
  definition.id, definition.name, definition.content, definition.created_at as "createdAt", definition.updated_at as "updatedAt"`;

const listAll = statement(
  'list_definitions',
  (p: Placeholders<WebsiteKey>) => sql<Definition & { kind: DefinitionKind }>`
    select definition.kind, ${COLUMNS} from website join definition on definition.website_number = website.number
    where website.account_id = ${p('accountId')} and website.id = ${p('websiteId')} order by definition.number`,
);

const findDefinitions = statement(
  'find_definitions',
  (p: Placeholders<OfKind & { readonly ids: readonly string[] }>) => sql`
    select ${COLUMNS} from website join definition on definition.website_number = website.number
    where ${ofWebsite(p)} and definition.id = any(${p('ids')}::uuid[]) order by definition.number`,
);

const findIdByName = statement(
  'find_definition_by_name',
  (p: Placeholders<OfKind & { readonly name: string }>) => sql<{ id: string }>`
    select definition.id from website join definition on definition.website_number = website.number
    where ${ofWebsite(p)} and definition.name = ${p('name')}`,
);

/** The name of a link that shows the visits of this segment. */
const findNameOfLink = statement(
  'find_shared_link_by_segment',
  (p: Placeholders<{ readonly segmentId: string }>) => sql<{ name: string }>`
    select name from shared_link where segment_id = ${p('segmentId')} order by number limit 1`,
);

/** Stores segments, goals and funnels in PostgreSQL. */
export function createDefinitionRepositories(deps: OwnedDependencies): DefinitionRepositories {
  return {
    segment: repositoryOf(deps, 'segment'),
    goal: repositoryOf(deps, 'goal'),
    funnel: repositoryOf(deps, 'funnel'),

    async all(website) {
      const { rows } = isKey(website) ? await deps.database.query(listAll.with(website)) : { rows: [] };
      const ofKind = <Kind extends DefinitionKind>(kind: Kind) =>
        rows.flatMap(({ kind: own, ...row }) => (own === kind ? (row as Definition<Kind>) : []));
      return { segments: ofKind('segment'), goals: ofKind('goal'), funnels: ofKind('funnel') };
    },
  };
}

function repositoryOf<Kind extends DefinitionKind>(deps: OwnedDependencies, kind: Kind): DefinitionRepository<Kind> {
  const { database } = deps;
  const owned = createOwned<WebsiteKey, Definition<Kind>>(deps, {
    name: 'definition',
    kind,
    owner: 'website',
    columns: {
      name: ['name', 'text'],
      content: ['content', 'json'],
      updatedAt: ['updated_at', 'timestamptz'],
    },
    hasLongLists: true,
    limit: DEFINITION_LIMITS[kind],
    tooMany: () => tooManyDefinitions(kind),
    toValues: ({ content, ...definition }) => ({ ...definition, content: JSON.stringify(content) }),
    toResource: (row) => row,

    async conflict(constraint, { accountId, websiteId = '' }, resource) {
      if (constraint === 'shared_link_segment') {
        const { rows } = await database.query(findNameOfLink.with({ segmentId: resource.id }));
        return rows[0] && new SegmentInUse(rows[0].name);
      }
      if (!('name' in resource) || typeof resource.name !== 'string') return undefined;
      const { name } = resource;
      const { rows } = await database.query(findIdByName.with({ accountId, websiteId, kind, name }));
      return rows[0] && new NameTaken(rows[0].id);
    },
  });

  return {
    ...owned,

    async size(website) {
      if (!isKey(website)) return 0;
      const { rows } = await database.query(sumSizes.with({ kind, ...website }));
      return rows[0]?.bytes ?? 0;
    },

    async findAll(website, ids) {
      const known = ids.filter(isId);
      if (known.length === 0 || !isKey(website)) return [];
      const query: Query = findDefinitions.with({ kind, ids: known, ...website });
      return database.read<Definition<Kind>>(query);
    },
  };
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}
