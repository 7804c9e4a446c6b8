import type { Fault } from '@hitherto/domain/base';
import { dayOf, namedPeriod, zoneOf } from '@hitherto/domain/calendar';
import { type CleanupRepository, findHiding } from '@hitherto/domain/cleanups';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { formatAddress } from '@hitherto/domain/format';
import type { DroppedHitsRepository, HitLookups } from '@hitherto/domain/hits';
import { previewPages } from '@hitherto/domain/reading';
import {
  addressOf,
  createWebsite,
  DEFAULT_SETTINGS,
  deleteWebsite,
  parseNewWebsite,
  parseWebsiteChanges,
  TIME_ZONE_NAMES,
  updateWebsite,
  type Website,
  type WebsiteDependencies,
} from '@hitherto/domain/websites';
import { readAddress } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Body, type Form, valueIn } from '../shared/form.ts';
import { headerOf } from '../shared/header.ts';
import { localeFor } from '../shared/locale.tsx';
import { sendPage } from '../shared/page.tsx';
import { HOME, NEW_WEBSITE, reportTestPath, WEBSITES, websitePath } from '../shared/paths.ts';
import { originOf, queryParameters } from '../shared/request.ts';
import { accountsToChoose } from './accounts.tsx';
import { CheckForm, type CheckValues, explainForm, readCheckValues } from './check-page.tsx';
import { DeleteForm } from './delete-form.tsx';
import { DroppedTable } from './dropped-table.tsx';
import { type ById, frameOf, websiteOf } from './found-website.ts';
import { InstallPage } from './install-page.tsx';
import { requireLostPassword } from './lost-password.tsx';
import { NewWebsitePage } from './new-website-page.tsx';
import { deleteOnce } from './not-found.ts';
import { type ReportStateDependencies, reportStateOf } from './report-state.ts';
import { createReportTests, type ReportTestDependencies } from './report-test.ts';
import { accountOf, actForAccount, authorOf, mayWrite, requireRight, requireWriteScope, viewerOf } from './session.ts';
import { SettingsPage, type SettingsPageProps } from './settings-page.tsx';
import {
  changedValues,
  type FormValues,
  faultsOf,
  formOf,
  inputOf,
  readFormValues,
  readShownValues,
} from './website-form.ts';
import { WebsiteFrame } from './website-frame.tsx';

export interface WebsiteRoutesDependencies
  extends WebsiteDependencies,
    ReportStateDependencies,
    ReportTestDependencies {
  readonly droppedHits: DroppedHitsRepository;
  readonly lookups: HitLookups;
  readonly statistics: StatisticsRepository;
  readonly cleanups: CleanupRepository;
  /** Of the tracker, if it has a path of its own. */
  readonly scriptPath?: string | undefined;
}

/** The settings of one website and their pages (pages.md); the scope has a session. */
export function websiteRoutes(scope: FastifyInstance, deps: WebsiteRoutesDependencies): void {
  scope.get<ById>(websitePath(':id'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const values = formOf(website);
    const query = queryParameters(request);
    const account = query.has('tested') ? await deps.access.findAccount(accountOf(request)) : undefined;
    const test = account?.email ? { sentTo: account.email.address } : undefined;
    const isSaved = query.has('saved');
    return sendSettings(deps, request, reply, website, { values, shown: values, faults: [], isSaved, test });
  });
  // A GET of the form's action URL redirects to the settings.
  scope.get<ById>(reportTestPath(':id'), (request, reply) =>
    reply.redirect(websitePath(encodeURIComponent(request.params.id)), 303),
  );

  scope.get<ById>(websitePath(':id', 'snippet'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const isWaiting = (await deps.statistics.firstDay(website.id)) === undefined;
    const { from, to } = namedPeriod('28d', dayOf(zoneOf(website, deps.zone), deps.now()));
    const dropped = isWaiting ? await deps.droppedHits.byReason(website.id, from, to) : [];
    const source = { origin: originOf(request), scriptPath: deps.scriptPath ?? '/script.js' };
    return sendPage(
      reply,
      <WebsiteFrame {...frameOf(request, website, 'snippet')} isWaiting={isWaiting}>
        <InstallPage websiteId={website.id} source={source} isWaiting={isWaiting} dropped={dropped} />
      </WebsiteFrame>,
    );
  });

  const sendCheck = async (
    request: FastifyRequest,
    reply: FastifyReply,
    website: Website,
    values: CheckValues,
    read?: ReturnType<typeof explainForm>,
  ) => {
    const explained = read !== undefined && 'explanation' in read ? read : undefined;
    const key = { accountId: accountOf(request), websiteId: website.id };
    const hiding = explained && (await findHiding(deps, key, explained.explanation, explained.settings, deps.now()));
    return sendPage(
      reply,
      <WebsiteFrame {...frameOf(request, website, 'check')}>
        <CheckForm
          action={websitePath(website.id, 'check')}
          values={values}
          faults={read !== undefined && 'faults' in read ? read.faults : []}
          explanation={explained?.explanation}
          hiding={hiding && { name: hiding.name, href: websitePath(website.id, 'cleanups') }}
        />
      </WebsiteFrame>,
    );
  };

  scope.get<ById>(websitePath(':id', 'check'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    // Initially, the hit that this browser would send from the website's first page.
    const userAgent = request.headers['user-agent'];
    const ip = readAddress(request.ip) ?? '';
    const values = { url: website.url, ip, ...(userAgent === undefined ? {} : { user_agent: userAgent }) };
    return sendCheck(request, reply, website, values);
  });

  scope.post<ById & Body>(websitePath(':id', 'check'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const values = readCheckValues(request.body);
    const read = explainForm(deps, website, values, deps.now());
    if ('faults' in read) reply.code(422);
    return sendCheck(request, reply, website, values, read);
  });

  scope.register(async (writing) => {
    requireWriteScope(writing);
    changeRoutes(writing, deps);
  });
  scope.register(async (deleting) => {
    requireRight(deleting, 'add_and_delete_websites');
    deleteRoutes(deleting, deps);
  });
}

/** The routes that change something; they need a key with scope "write". */
function changeRoutes(scope: FastifyInstance, deps: WebsiteRoutesDependencies): void {
  scope.post<ById & Body>(websitePath(':id'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const values = readFormValues(request.body);
    const shown = readShownValues(request.body);
    try {
      const changes = parseWebsiteChanges(inputOf(changedValues(values, shown)));
      const action = valueIn(request.body, 'action');
      if (action === 'try excludedParams' || action === 'try pageRules') {
        const period = namedPeriod('28d', dayOf(zoneOf(website, deps.zone), deps.now()));
        const { excludedParams, pageRules } = { ...website, ...changes };
        const setting = action === 'try pageRules' ? { pageRules } : { excludedParams };
        const tried = await previewPages(deps, website.id, period, setting);
        return sendSettings(deps, request, reply, website, { values, shown, faults: [], isSaved: false, tried });
      }
      requireLostPassword(localeFor(request), values);
      await updateWebsite({ ...deps, author: authorOf(request) }, viewerOf(request), website.id, changes);
      return reply.redirect(`${websitePath(website.id)}?saved`, 303);
    } catch (error) {
      const faults = faultsOf(error, values, localeFor(request));
      if (faults === undefined) throw error;
      return sendSettings(deps, request, reply.code(422), website, { values, shown, faults, isSaved: false });
    }
  });

  const sendReportTest = createReportTests(deps);
  scope.post<ById>(reportTestPath(':id'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const fault = await sendReportTest(localeFor(request), accountOf(request), website);
    if (fault === undefined) return reply.redirect(`${websitePath(website.id)}?tested`, 303);
    const values = formOf(website);
    const form = { values, shown: values, faults: [], isSaved: false, test: { fault } };
    return sendSettings(deps, request, reply.code(409), website, form);
  });
}

/** The hits of a website that were not counted, for everybody who sees its statistics. */
export function droppedRoute(scope: FastifyInstance, deps: WebsiteRoutesDependencies): void {
  scope.get<ById>(websitePath(':id', 'dropped'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    const { from, to } = namedPeriod('28d', dayOf(zoneOf(website, deps.zone), deps.now()));
    const rows = await deps.droppedHits.byReason(website.id, from, to);
    return sendPage(
      reply,
      <WebsiteFrame {...frameOf(request, website, 'dropped')}>
        <DroppedTable rows={rows} period={localeFor(request).format.period(from, to)} />
      </WebsiteFrame>,
    );
  });
}

/** Adding a website to an account. */
export function newWebsiteRoutes(scope: FastifyInstance, deps: WebsiteRoutesDependencies): void {
  actForAccount(scope, 'add_and_delete_websites');
  requireRight(scope, 'add_and_delete_websites');

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    values: FormValues,
    faults: readonly Fault[],
  ): Promise<FastifyReply> =>
    sendPage(
      reply,
      <NewWebsitePage
        header={headerOf(request)}
        accounts={await accountsToChoose(deps, request, 'add_and_delete_websites')}
        accountId={accountOf(request)}
        values={values}
        faults={faults}
        guessedZone={await usualZone(request)}
        canWrite={mayWrite(request)}
      />,
    );

  /** The zone of the first website of the account that has one. */
  const usualZone = async (request: FastifyRequest) => {
    const names = await deps.websites.names(viewerOf(request), MAX_ASKED);
    return names.find(({ timeZone }) => timeZone !== null)?.timeZone ?? '';
  };

  scope.get(NEW_WEBSITE, (request, reply) =>
    send(request, reply, formOf({ ...DEFAULT_SETTINGS, engagement: true }), []),
  );

  scope.post<Body>(WEBSITES, async (request, reply) => {
    const values = readFormValues(request.body);
    try {
      const timeZone = values.time_zone === undefined ? guessedZone(deps, request.body) : undefined;
      const input = parseNewWebsite({ ...inputOf(values), ...(timeZone === undefined ? {} : { timeZone }) });
      requireLostPassword(localeFor(request), values);
      const website = await createWebsite({ ...deps, author: authorOf(request) }, accountOf(request), input);
      return reply.redirect(websitePath(website.id, 'snippet'), 303);
    } catch (error) {
      const faults = faultsOf(error, values, localeFor(request));
      if (faults === undefined) throw error;
      return send(request, reply.code(422), values, faults);
    }
  });
}

/** How many websites of the account are searched for a zone of their own. */
const MAX_ASKED = 50;

/** The zone that a browser tells, unless it is unknown or the installation's. */
function guessedZone({ zone }: Pick<WebsiteRoutesDependencies, 'zone'>, form: Form): string | undefined {
  const guessed = valueIn(form, 'guessed_zone');
  return guessed === undefined || guessed === zone.name || !TIME_ZONE_NAMES.includes(guessed) ? undefined : guessed;
}

function deleteRoutes(scope: FastifyInstance, deps: WebsiteRoutesDependencies): void {
  scope.get<ById>(websitePath(':id', 'delete'), async (request, reply) => {
    const website = await websiteOf(deps, request);
    return sendDeleteForm(request, reply, website, false);
  });

  scope.post<ById & Body>(websitePath(':id', 'delete'), async (request, reply) => {
    const website = await deps.websites.find(viewerOf(request), request.params.id.toLowerCase());
    // What is gone counts as deleted, and another account's website looks the same.
    if (website === undefined) return reply.redirect(HOME, 303);
    const address = valueIn(request.body, 'address');
    if (address === undefined || !isAddressOf(website, address)) {
      return sendDeleteForm(request, reply.code(422), website, true);
    }
    await deleteOnce(deleteWebsite({ ...deps, author: authorOf(request) }, viewerOf(request), website.id));
    return reply.redirect(HOME, 303);
  });
}

async function sendSettings(
  deps: WebsiteRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  website: Website,
  {
    test,
    ...form
  }: Pick<SettingsPageProps, 'values' | 'shown' | 'faults' | 'isSaved' | 'tried'> &
    Partial<Pick<SettingsPageProps, 'test'>>,
): Promise<FastifyReply> {
  const reports = await reportStateOf(deps, accountOf(request), website);
  const frame = frameOf(request, website, 'settings');
  const hasPassword = website.passwordHash !== null;
  return sendPage(
    reply,
    <SettingsPage {...form} frame={frame} hasPassword={hasPassword} reports={reports} test={test} />,
  );
}

function sendDeleteForm(
  request: FastifyRequest,
  reply: FastifyReply,
  website: Website,
  isWrong: boolean,
): FastifyReply {
  const frame = frameOf(request, website, 'delete');
  const action = websitePath(website.id, 'delete');
  return sendPage(
    reply,
    <WebsiteFrame {...frame}>
      <DeleteForm action={action} address={frame.website.address} isWrong={isWrong} />
    </WebsiteFrame>,
  );
}

/** The address may be typed with or without its scheme, or as it is shown. */
function isAddressOf({ url }: Website, typed: string): boolean {
  const text = typed.trim();
  return [url, addressOf(url), formatAddress(url)].includes(text);
}
