import type { Website } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let website: Website;
let path: string;

beforeEach(async () => {
  pages = await startPagesForTest();
  ({ cookies } = await signIn(pages));
  website = await pages.addWebsite();
  path = `/websites/${website.id}/alerts`;
});

const key = () => ({ accountId: pages.accountId, websiteId: website.id });
const stored = () => pages.repositories.alerts.list(key());

describe('the page of alerts', () => {
  test('adds one, without the fields that other rules have, and shows it', async () => {
    const { status, headers } = await postForm(
      pages,
      path,
      { rule: 'silence', hours: '24', visitors: 'x', percent: '200', goal_id: 'x', email: '1' },
      { cookies },
    );
    const { text } = await pages.send('GET', path, { cookies });

    expect([status, headers.location]).toEqual([303, `${path}?saved`]);
    expect(await stored()).toMatchObject([{ rule: 'silence', hours: 24, email: true, webhooks: false }]);
    expect(text).toContain('24 hours. By mail');
  });

  test('offers the goals of the website', async () => {
    const goal = await definer(pages, website).addGoal({ name: 'Signup <é>', event: 'Signup' });

    await postForm(pages, path, { rule: 'goal', conversions: '5', goal_id: goal.id, webhooks: '1' }, { cookies });

    expect(await stored()).toMatchObject([{ rule: 'goal', threshold: 5, goalId: goal.id }]);
    expect((await pages.send('GET', path, { cookies })).text).toContain('Signup &lt;é>: 5. By webhooks');
  });

  test.each([
    [{ rule: 'silence', hours: 'x' }, { hours: ['Must be a whole number from 1 to 168.'] }],
    [{ rule: 'silence', hours: ' ' }, { hours: ['Enter a number.'] }],
    [{ rule: 'goal' }, { conversions: ['Enter a number.'], goal_id: ['Choose a goal.'] }],
    [{ rule: 'spike', visitors: '0' }, { visitors: ['Must be a whole number from 1 to 1,000,000,000.'] }],
    [{ rule: 'dropped', percent: '100' }, { percent: ['Must be a whole number from 1 to 99.'] }],
  ])('saves nothing that has a fault, and says at the field what to do: %j', async (form, faults) => {
    const { status, text } = await postForm(pages, path, form, { cookies });

    expect([status, await stored()]).toEqual([422, []]);
    expect(faultsOf(text)).toEqual({ ...faults, email: [expect.stringContaining('to webhooks, or both')] });
    expect(formOf(text)).toMatchObject(form);
  });
});
