import { isId, storableString } from '@hitherto/domain/base';
import type { TaskKind, TaskQueue, TaskRecord } from '@hitherto/domain/tasks';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { TaskTable } from '../migrations/tables.ts';

type Task = { kind: TaskKind; id: string; key: string };
type Held = Task & { leasedUntil: Date };
type Failure = Pick<TaskTable, 'detail' | 'failed_at'>;

const numberOf = (id: ReturnType<typeof sql<string>>) => sql`(select number from website where id = ${id})`;

const isTask = (p: Placeholders<Task>) => sql`
  kind = ${p('kind')} and website_number = ${numberOf(p('id'))} and key = ${p('key')}`;

const isHeld = (p: Placeholders<Held>) => sql`
  ${isTask(p)} and state = 'waiting' and due_at = ${p('leasedUntil')}::timestamptz`;

const claimTask = statement(
  'claim_task',
  (p: Placeholders<{ kind: TaskKind; now: Date; leasedUntil: Date }>) => sql<
    Failure & { id: string; key: string; payload: unknown; failures: number }
  >`
    with due as (
      select website_number, key from task
      where kind = ${p('kind')} and state = 'waiting' and due_at <= ${p('now')}::timestamptz
      order by due_at, website_number limit 1 for update skip locked
    )
    update task set due_at = ${p('leasedUntil')}::timestamptz from due, website
    where task.kind = ${p('kind')} and task.website_number = due.website_number and task.key = due.key
      and website.number = due.website_number
    returning website.id, task.key, payload, failures, detail, failed_at`,
);

const finishTask = statement(
  'finish_task',
  (p: Placeholders<Task & { outcome: TaskTable['state'] }>) => sql`
    update task set state = ${p('outcome')}, detail = null, failed_at = null where ${isTask(p)} and state in ('waiting', 'failed')`,
);

const failTask = statement(
  'fail_task',
  (p: Placeholders<Held & { detail: string; at: Date; dueAt: Date; state: TaskTable['state'] }>) => sql`
    update task set state = ${p('state')}, failures = failures + 1, due_at = ${p('dueAt')}::timestamptz,
      detail = ${p('detail')}, failed_at = ${p('at')}::timestamptz
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
export function createTaskQueue(database: Database, background: Database): TaskQueue {
  return {
    async claim(kind, now, leasedUntil) {
      const { rows } = await database.query(claimTask.with({ kind, now, leasedUntil }));
      const [row] = rows;
      if (row === undefined) return undefined;
      const { id: websiteId, key, payload, failures } = row;
      const task = { kind, websiteId, key, payload: payload ?? undefined, failures };
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
