import { type Fault, InvalidFields } from '@hitherto/domain/base';
import { dayOf, namedPeriod, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { findUnmatched, type UnmatchedDependencies } from '@hitherto/domain/reading';
import {
  MAX_PAGE_RULES,
  parsePageRule,
  parseWebsiteChanges,
  showWebsite,
  updateWebsite,
  type WebsiteChanges,
  type WebsiteDependencies,
  websiteIn,
} from '@hitherto/domain/websites';
import { accountProblemResponses, accountResponse, BODY_LIMIT, decodeJsonBodies } from '@hitherto/http';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, viewerOf } from '../requests/authentication.ts';
import { parseBody, shapeFaults, websiteIdOf } from '../requests/input.ts';
import { etagOf, preconditionOf } from '../requests/versions.ts';
import { bodyOf } from '../resources/documented.ts';
import { etag, ifMatch } from '../websites/route-schemas.ts';
import { NoQuery, WebsiteParams } from '../websites/schemas.ts';

const EXAMPLES = [{ 'page.like': '/user/*', becomes: '/user/:id' }, { exclude_params: 'filter' }];

const RULE = {
  'page.like': Type.Optional(Type.String({ description: 'A pattern of pages, as of a filter.' })),
  becomes: Type.Optional(Type.String({ description: 'The page that they are shown as, with a ":name" for each "*".' })),
  exclude_params: Type.Optional(
    Type.String({ description: 'Parameters that pages are shown without, one per line; "sort*" is a prefix.' }),
  ),
};
const ABOUT_RULE = { description: 'Either `page.like` and `becomes`, or `exclude_params`.' };
const ABOUT_RULES = { description: `At most ${MAX_PAGE_RULES}, in order: the first that fits a page shows it.` };
/** Of responses, which may get more fields. */
const rules = Type.Array(Type.Object(RULE, ABOUT_RULE), ABOUT_RULES);
const sentRules = Type.Array(Type.Object(RULE, { ...ABOUT_RULE, additionalProperties: false }), ABOUT_RULES);

const PageRules = Type.Object(
  { rules: sentRules },
  { additionalProperties: false, $id: 'PageRules', examples: [{ rules: EXAMPLES }] },
);

const named = (of: string) =>
  Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: `The ${of} that matched pages of the last 28 days before, and match none with these rules.`,
  });

const PageRulesResponse = Type.Object(
  { data: Type.Object({ rules }) },
  { $id: 'PageRulesResponse', examples: [{ data: { rules: EXAMPLES } }] },
);

const PageRulesChanged = Type.Object(
  {
    data: Type.Object({ rules }),
    meta: Type.Object({ unmatched_goals: named('goals'), unmatched_funnels: named('funnels') }),
  },
  {
    $id: 'PageRulesChanged',
    examples: [
      {
        data: { rules: EXAMPLES },
        meta: {
          unmatched_goals: [{ id: '019aa0b4-9c00-7000-8000-000000000009', name: 'Profile of Ada' }],
          unmatched_funnels: [],
        },
      },
    ],
  },
);

/** The schemas that are referenced by name. */
export const PAGE_RULE_SCHEMAS = [PageRules, PageRulesResponse, PageRulesChanged];

const tags = ['websites'];
const DESCRIPTION =
  'Pages of past and future hits are shown by the rules of their website, in lists, filters, goals and funnels. Stored hits, visits and visitors do not change.';

const show = {
  tags,
  operationId: 'showPageRules',
  summary: 'Show the page rules',
  description: DESCRIPTION,
  querystring: NoQuery,
  params: WebsiteParams,
  response: {
    200: accountResponse('The rules, in order.', PageRulesResponse, etag),
    ...accountProblemResponses(400, 401, 403, 404, 408, 422, 429, 431, 500, 503),
  },
};

const replace = {
  tags,
  operationId: 'replacePageRules',
  summary: 'Replace the page rules',
  description: `${DESCRIPTION} The version, and so the ETag, is that of the website.`,
  querystring: NoQuery,
  params: WebsiteParams,
  body: bodyOf(PageRules),
  headers: { type: 'object', properties: ifMatch },
  response: {
    200: accountResponse('The rules in normal form.', PageRulesChanged, etag),
    ...accountProblemResponses(400, 401, 403, 404, 408, 412, 413, 415, 422, 429, 431, 500, 503),
  },
};

type Rules = Static<typeof PageRules>['rules'];
type ById = { Params: { readonly id: string } };

interface PageRuleDependencies extends WebsiteDependencies, UnmatchedDependencies {
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The rules by which pages are shown (cleanups.md), a setting of the website with a shape of its own. */
export function pageRuleRoutes(app: FastifyInstance, deps: PageRuleDependencies): void {
  app.get<ById>('/api/v1/websites/:id/page-rules', { schema: show }, async (request, reply) => {
    const website = await showWebsite(deps, viewerOf(request), websiteIdOf(request.params));
    reply.header('etag', etagOf(website));
    return { data: { rules: toRules(website.pageRules) } };
  });

  app.register(async (writing) => {
    decodeJsonBodies(writing, ['application/json'], BODY_LIMIT);
    writing.put<ById & { Body: { readonly rules?: Rules } }>(
      '/api/v1/websites/:id/page-rules',
      { schema: replace, config: { mergesFaults: true } },
      async (request, reply) => {
        const changes = parseBody(request.body, shapeFaults(request), readRules);
        const viewer = viewerOf(request);
        const website = await showWebsite(deps, viewer, websiteIdOf(request.params));
        const period = namedPeriod('28d', dayOf(zoneOf(website, deps.zone), deps.now()));
        const updating = { ...deps, author: authorOf(request) };
        const { result: changed, unmatched } = await findUnmatched(deps, websiteIn(viewer, website.id), period, () =>
          updateWebsite(updating, viewer, website.id, changes, preconditionOf(request)),
        );
        reply.header('etag', etagOf(changed));
        return {
          data: { rules: toRules(changed.pageRules) },
          meta: { unmatched_goals: unmatched.goals, unmatched_funnels: unmatched.funnels },
        };
      },
    );
  });
}

function toRules(lines: readonly string[]): Rules {
  return lines.map(parsePageRule).map((rule) => {
    if ('like' in rule) return { 'page.like': rule.like, becomes: rule.becomes };
    return { exclude_params: rule.excludedParams.join('\n') };
  });
}

function readRules({ rules: sent }: { readonly rules?: Rules }): WebsiteChanges {
  if (sent === undefined) throw new InvalidFields([{ field: 'rules', code: 'required', detail: 'Send the rules.' }]);
  try {
    return parseWebsiteChanges({ pageRules: sent.map(toLine) });
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    throw new InvalidFields(error.faults.map(toFault));
  }
}

/** A rule as a line, which the domain reads. */
function toLine({ 'page.like': like, becomes, exclude_params: params }: Rules[number]): string {
  if (params !== undefined && like === undefined && becomes === undefined)
    return `?${params.split(/\s*\n\s*/).join('&')}`;
  return params === undefined && like !== undefined && becomes !== undefined ? `${like} => ${becomes}` : '-';
}

function toFault({ line, code, detail }: Fault): Fault {
  if (line === undefined) return { field: 'rules', code, detail };
  return { field: `rules.${line - 1}`, code, detail: detail.replace(`Line ${line}`, `Rule ${line}`) };
}
