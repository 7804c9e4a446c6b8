import { type Alert, type AlertState, type Firing, NEW_STATE } from '@hitherto/domain/alerts';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { beforeEach, expect, it } from 'vitest';
import { addAccount, addWebsites, type MakeRepositories, type TestRepositories } from './support/repositories.ts';
import { AT, after, anAlert, aWebhook, deliveredEvents } from './support/webhooks.ts';

const STATE: AlertState = { holds: true, day: '2026-11-20', fired: 1, samples: [] };

/** The contract of `AlertRepository`. */
export function alertRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let key: WebsiteKey;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    const [website] = await addWebsites(repositories, accountId, ['https://a.example/é']);
    key = { accountId, websiteId: website?.id ?? '' };
  });

  const insert = async (overrides: Partial<Alert> = {}) => {
    const alert = anAlert(overrides);
    await repositories.alerts.insert(key, alert, UNRECORDED, NEW_STATE);
    return alert;
  };
  const claim = async (now = AT) => {
    const [due] = await repositories.alerts.claim(now, 10);
    if (due === undefined) throw new Error('No alert is due.');
    return due;
  };
  const aFiring = (alert: Alert): Firing => {
    const values = [{ value: null, visitors: 3 }];
    const said = {
      text: 'é 🦊',
      number: 0,
      usual: null,
      hours: null,
      subject: null,
      sources: values,
      pages: values,
      pageUrl: null,
    };
    const data = {
      website: { id: key.websiteId, url: 'https://a.example/é' },
      alert: { id: alert.id, rule: alert.rule, ...said },
    };
    return { id: newId(), event: { type: 'alert.fired', at: AT, data, ...key } };
  };
  const mails = () => repositories.tasks.records('alert', key.websiteId);

  it('returns alerts as they were inserted, in that order', async () => {
    const one = await insert();
    const two = await insert({ rule: 'goal', hours: null, threshold: 5, goalId: newId(), email: false });

    expect(await repositories.alerts.list(key)).toEqual([one, two]);
    expect(await repositories.alerts.find(key, two.id)).toEqual(two);
    expect(await repositories.alerts.find(key, newId())).toBeUndefined();
    expect(await repositories.alerts.list({ ...key, websiteId: newId() })).toBeUndefined();
  });

  it('keeps the state of an alert that is changed; a new condition does not hold yet', async () => {
    const { alerts } = repositories;
    const samples = [{ at: AT.toISOString(), day: '2026-11-20', counted: 1, dropped: { bot: 2 } }];
    const state = { ...STATE, samples };
    const alert = await insert();
    await alerts.record(await claim(), state);

    await alerts.replace(key, { ...alert, email: false, updatedAt: after(1) }, AT, UNRECORDED);
    expect((await claim(after(1))).state).toEqual(state);
    await alerts.replace(key, { ...alert, hours: 48, updatedAt: after(2) }, after(1), UNRECORDED);
    expect((await claim(after(2))).state).toEqual({ ...state, holds: false });
  });

  it('is not claimed once its website is deleted', async () => {
    await insert();

    await repositories.websites.delete(key.accountId, key.websiteId, undefined, UNRECORDED);

    expect(await repositories.alerts.claim(AT, 10)).toEqual([]);
  });

  it('claims each alert once a minute, with its website and state', async () => {
    const alert = await insert();

    const website = { id: key.websiteId, url: 'https://a.example/é', timeZone: null };
    expect(await claim()).toEqual({ alert, accountId: key.accountId, website, state: NEW_STATE, checkedAt: AT });
    expect(await repositories.alerts.claim(new Date(after(1).getTime() - 1), 10)).toEqual([]);
    expect((await claim(after(1))).checkedAt).toEqual(after(1));
    // A check by a clock that was ahead does not stop the checks of now.
    expect((await claim(AT)).checkedAt).toEqual(AT);
  });

  it('gives an alert to one of many instances', async () => {
    await insert();

    expect(fulfilled(await atOnce(8, () => repositories.alerts.claim(AT, 10))).flat()).toHaveLength(1);
  });

  it('records what is known after a check', async () => {
    await insert();

    expect(await repositories.alerts.record(await claim(), STATE)).toBe(true);
    expect((await claim(after(1))).state).toEqual(STATE);
    expect(await mails()).toEqual([]);
  });

  it('knows when a spike fired last', async () => {
    const ids = [key.websiteId, newId(), 'x'];
    await insert({ rule: 'spike', hours: null });
    await repositories.alerts.record(await claim(), STATE);
    expect(await repositories.alerts.spikes(ids, AT)).toEqual(new Map());
    await repositories.alerts.record(await claim(after(1)), { ...STATE, firedAt: after(1).toISOString() });
    const silence = await insert();
    const due = (await repositories.alerts.claim(after(2), 10)).filter(({ alert }) => alert.id === silence.id);
    for (const one of due) await repositories.alerts.record(one, { ...STATE, firedAt: after(2).toISOString() });

    expect(await repositories.alerts.spikes(ids, after(1))).toEqual(new Map([[key.websiteId, after(1)]]));
    expect(await repositories.alerts.spikes(ids, new Date(after(1).getTime() + 1))).toEqual(new Map());
  });

  it('records the mail and the deliveries of an alert that fires, once', async () => {
    await repositories.webhooks.insert({ accountId: key.accountId }, aWebhook({ events: ['alert.fired'] }), UNRECORDED);
    const alert = await insert();
    const due = await claim();
    const firing = aFiring(alert);

    expect(await repositories.alerts.record(due, STATE, firing)).toBe(true);

    const { accountId: _, websiteId: __, ...event } = firing.event;
    expect(await deliveredEvents(repositories.webhookOutbox, key.accountId)).toEqual([event]);
    expect(await mails()).toEqual([{ key: firing.id, state: 'waiting', failure: undefined }]);
    expect(await repositories.tasks.claim('alert', AT, after(1))).toMatchObject({
      key: firing.id,
      payload: { accountId: key.accountId, at: AT.toISOString(), ...firing.event.data },
    });
  });

  it('sends an alert only where it says', async () => {
    await repositories.webhooks.insert({ accountId: key.accountId }, aWebhook({ events: ['alert.fired'] }), UNRECORDED);
    const byMail = await insert({ webhooks: false });
    const byWebhook = await insert({ email: false });

    for (const due of await repositories.alerts.claim(AT, 10)) {
      await repositories.alerts.record(due, STATE, aFiring(due.alert));
    }

    expect(await mails()).toHaveLength(1);
    const events = await deliveredEvents(repositories.webhookOutbox, key.accountId);
    expect(events).toMatchObject([{ data: { alert: { id: byWebhook.id } } }]);
    expect(await repositories.tasks.claim('alert', AT, after(1))).toMatchObject({
      payload: { alert: { id: byMail.id } },
    });
  });

  it('records nothing of a check whose alert was changed, claimed again or deleted meanwhile', async () => {
    const { alerts } = repositories;
    const [changed, late, gone] = [await insert(), await insert(), await insert()];
    const claimed = await alerts.claim(AT, 10);
    const dueOf = ({ id }: Alert) => {
      const due = claimed.find(({ alert }) => alert.id === id);
      if (due === undefined) throw new Error('The alert is not due.');
      return due;
    };
    await alerts.replace(key, { ...changed, hours: 1, updatedAt: after(1) }, AT, UNRECORDED);
    await alerts.delete(key, gone.id, AT, UNRECORDED);
    const again = (await alerts.claim(after(1), 10)).find(({ alert }) => alert.id === late.id);

    for (const alert of [changed, late, gone]) {
      expect(await alerts.record(dueOf(alert), STATE, aFiring(alert))).toBe(false);
    }
    expect(await mails()).toEqual([]);
    expect(again !== undefined && (await alerts.record(again, STATE, aFiring(late)))).toBe(true);
    expect(await mails()).toHaveLength(1);
  });
}
