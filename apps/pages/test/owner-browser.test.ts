import { describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';

const { world, contextOf } = await startBrowsing();

describe('the snippet', () => {
  const state = world.states.find(({ name }) => name === 'snippet');

  test('is copied by its button, the only script', async () => {
    const context = await contextOf('owner', { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${world.url}${state?.path}`);

    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `<script defer src="${world.url}/script.js" data-website="${world.busy.id}"></script>`,
    );
    await context.close();
  });

  test('is visible without scripts, and the button is not', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}${state?.path}`);

    expect(await page.getByText('data-website').first().isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await context.close();
  });
});

describe('forms show the fields that a choice needs, without scripts:', () => {
  test('an alert those of its rule', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}/websites/${world.busy.id}/alerts`);
    const shown = async () => {
      const fields = ['visitors', 'hours', 'goal_id', 'conversions', 'percent'];
      const visible = await Promise.all(fields.map((name) => page.locator(`[name="${name}"]`).isVisible()));
      return fields.filter((_, index) => visible[index]);
    };

    const seen: Record<string, string[]> = {};
    for (const rule of ['spike', 'drop', 'silence', 'goal', 'dropped']) {
      await page.locator('[name="rule"]').selectOption(rule);
      seen[rule] = await shown();
    }

    expect(seen).toEqual({
      spike: ['visitors'],
      drop: [],
      silence: ['hours'],
      goal: ['goal_id', 'conversions'],
      dropped: ['percent'],
    });
    await context.close();
  });

  test('a website that of the password', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}/websites/${world.empty.id}`);
    const password = page.getByLabel('Password of the page');

    expect(await password.isVisible()).toBe(false);
    await page.getByLabel('Everyone who knows the password can see it.').check();
    expect(await password.isVisible()).toBe(true);
    await context.close();
  });
});

describe('the forms of goals, funnels and segments', () => {
  const pathOf = (page: string) => `${world.url}/websites/${world.empty.id}/${page}`;

  test('work without scripts: only the fields of the chosen rule are visible', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${pathOf('goals')}/new`);

    await page.getByLabel('Name', { exact: true }).fill('Thanks');
    expect(await page.getByLabel('Page', { exact: true }).isVisible()).toBe(false);
    await page.getByLabel('A pageview').check();
    expect(await page.getByLabel('Name of the event').isVisible()).toBe(false);
    await page.getByLabel('Page', { exact: true }).fill('/über');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.getByRole('status').textContent()).toContain('It did not happen in this period.');
    await page.getByRole('button', { name: 'Save' }).click();

    expect(new URL(page.url()).search).toBe('?saved');
    expect(await page.getByRole('listitem').textContent()).toContain('Page is /über');
    await page.getByRole('link', { name: 'Delete Thanks' }).click();
    await page.getByRole('button', { name: 'Delete the goal' }).click();
    expect(await page.getByRole('listitem').count()).toBe(0);
    await context.close();
  });

  test('save when Enter is pressed, whatever other buttons they have', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${pathOf('funnels')}/new`);
    await page.getByLabel('Name', { exact: true }).fill('Purchase');
    for (const step of ['a', 'b']) {
      const fields = page.getByRole('group', { name: `Step ${step === 'a' ? 1 : 2}` });
      await fields.getByLabel('Name of the step').fill(step);
      await fields.getByLabel('Page', { exact: true }).fill(`/${step}`);
    }

    await page.getByLabel('Page', { exact: true }).nth(1).press('Enter');

    expect(new URL(page.url()).search).toBe('?saved');
    expect(await page.getByRole('listitem').textContent()).toContain('a (Page is /a), then b (Page is /b)');
    await context.close();
  });

  test('keep an empty first line, which stands for no value', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(
      `${pathOf('segments')}/new?${encodeURIComponent('props[plan]')}=&${encodeURIComponent('props[plan]')}=pro`,
    );
    const values = page.getByLabel('Values').first();
    expect(await values.inputValue()).toBe('\npro');

    await page.getByLabel('Name', { exact: true }).fill('Plans');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('listitem').textContent()).toContain('Property plan is empty or pro');
    await page.getByRole('link', { name: 'Change Plans' }).click();

    expect(await values.inputValue()).toBe('\npro');
    await context.close();
  });
});
