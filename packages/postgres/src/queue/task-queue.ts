import { isId, storableJson, storableString } from '@hitherto/domain/base';
import type { PersonMail } from '@hitherto/domain/people';
import type { TaskKind, TaskQueue, TaskRecord } from '@hitherto/domain/tasks';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, type Query, statement } from '../connection/statement.ts';
import type { TaskTable } from '../migrations/tables.ts';
import type { Seal } from '../seal.ts';

type Task = { kind: TaskKind; id: string | null; key: string };
type Held = Task & { leasedUntil: Date };
type Failure = Pick<TaskTable, 'detail' | 'failed_at'>;

const numberOf = (id: RawBuilder<string | null>) => sql`(select number from website where id = ${id})`;

/** Tasks of a kind all have a website, or none. */
const isTask = (p: Placeholders<Task>) => sql`
  kind = ${p('kind')} and key = ${p('key')} and (website_number = ${numberOf(p('id'))} or website_number is null)`;

const isHeld = (p: Placeholders<Held>) => sql`
  ${isTask(p)} and state = 'waiting' and due_at = ${p('leasedUntil')}::timestamptz`;

const claimTask = statement(
  'claim_task',
  (p: Placeholders<{ kind: TaskKind; now: Date; leasedUntil: Date }>) => sql<
    Failure & { id: string | null; key: string; payload: unknown; sealedToken: Buffer | null; failures: number }
  >`
    with due as (
      select website_number, key from task
      where kind = ${p('kind')} and state = 'waiting' and due_at <= ${p('now')}::timestamptz
      order by due_at, website_number limit 1 for update skip locked
    )
    update task set due_at = ${p('leasedUntil')}::timestamptz from due
    where task.kind = ${p('kind')} and task.key = due.key
      and (task.website_number = due.website_number or task.website_number is null)
    returning (select id from website where number = task.website_number), task.key, payload,
      sealed_token as "sealedToken", failures, detail, failed_at`,
);

const addTask = statement(
  'add_task',
  (
    p: Placeholders<{
      kind: TaskKind;
      key: string;
      at: Date;
      payload: string;
      sealedToken: Buffer | null;
    }>,
  ) => sql`
    insert into task (kind, key, state, failures, due_at, payload, sealed_token)
    values (${p('kind')}, ${p('key')}, 'waiting', 0, ${p('at')}, ${p('payload')}::json, ${p('sealedToken')})
    on conflict do nothing`,
);

/** Records a mail to a person as a task; its token is encrypted. */
export function addMail(mail: PersonMail, seal: Seal) {
  const { id: key, at, about, token } = mail;
  const sealedToken = token === undefined ? null : seal.seal(token, `${key} token`);
  return addTask.with({ kind: 'mail', key, at, payload: storableJson({ at, about }), sealedToken });
}

/** Runs a statement that changes one row, and records the mail about it if it did, all or nothing. */
export async function changeWithMail(
  database: Database,
  change: Query,
  mail: PersonMail | undefined,
  seal: Seal,
): Promise<boolean> {
  if (mail === undefined) return (await database.query(change)).count === 1;
  return database.transaction(async (transaction) => {
    if ((await transaction.query(change)).count !== 1) return false;
    await transaction.query(addMail(mail, seal));
    return true;
  });
}

const finishTask = statement(
  'finish_task',
  (p: Placeholders<Task & { outcome: TaskTable['state'] }>) => sql`
    update task set state = ${p('outcome')}, detail = null, failed_at = null, sealed_token = null
    where ${isTask(p)} and state in ('waiting', 'failed')`,
);

const failTask = statement(
  'fail_task',
  (p: Placeholders<Held & { detail: string; at: Date; dueAt: Date; state: TaskTable['state'] }>) => sql`
    update task set state = ${p('state')}, failures = failures + 1, due_at = ${p('dueAt')}::timestamptz,
      detail = ${p('detail')}, failed_at = ${p('at')}::timestamptz,
      sealed_token = case when ${p('state')} = 'waiting' then sealed_token end
    where ${isHeld(p)}`,
);

const dropTask = statement('drop_task', (p: Placeholders<Held>) => sql`delete from task where ${isHeld(p)}`);

const findTasks = statement(
  'find_tasks',
  (p: Placeholders<{ kind: TaskKind; id: string }>) => sql<Failure & Pick<TaskTable, 'key' | 'state'>>`
    select key, state, detail, failed_at from task
    where kind = ${p('kind')} and website_number = ${numberOf(p('id'))} order by key desc`,
);

const deleteTasksBefore = statement(
  'delete_tasks_before',
  (p: Placeholders<{ kind: TaskKind; time: Date }>) => sql`
    delete from task where kind = ${p('kind')} and due_at < ${p('time')}::timestamptz`,
);

/** Stores tasks in PostgreSQL. Long statements run on `background`. */
export function createTaskQueue(database: Database, background: Database, seal: Seal): TaskQueue {
  return {
    async claim(kind, now, leasedUntil) {
      const { rows } = await database.query(claimTask.with({ kind, now, leasedUntil }));
      const [row] = rows;
      if (row === undefined) return undefined;
      const { id: websiteId, key, payload, sealedToken, failures } = row;
      const token = sealedToken === null ? undefined : (seal.open(sealedToken, `${key} token`) ?? undefined);
      const task = { kind, websiteId, key, payload: payload ?? undefined, token, failures };
      return { ...task, failure: toFailure(row), leasedUntil: new Date(leasedUntil) };
    },

    async finish({ kind, websiteId: id, key }, outcome) {
      await database.query(finishTask.with({ kind, id, key, outcome }));
    },

    async fail({ kind, websiteId: id, key, leasedUntil }, { detail, at }, retryAt) {
      await database.query(
        failTask.with({
          kind,
          id,
          key,
          leasedUntil,
          detail: storableString(detail),
          at,
          dueAt: retryAt ?? at,
          state: retryAt === undefined ? 'failed' : 'waiting',
        }),
      );
    },

    async drop({ kind, websiteId: id, key, leasedUntil }) {
      await database.query(dropTask.with({ kind, id, key, leasedUntil }));
    },

    async records(kind, websiteId) {
      if (!isId(websiteId)) return [];
      const { rows } = await database.query(findTasks.with({ kind, id: websiteId }));
      return rows.map((row): TaskRecord => ({ key: row.key, state: row.state, failure: toFailure(row) }));
    },

    async deleteBefore(kind, time) {
      return (await background.query(deleteTasksBefore.with({ kind, time }))).count;
    },
  };
}

function toFailure({ detail, failed_at: at }: Failure) {
  return detail === null || at === null ? undefined : { detail, at };
}
