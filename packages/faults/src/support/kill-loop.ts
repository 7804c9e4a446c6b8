import { type Row, type RowOptions, row, type Trial } from '../row.ts';

/** Work under which something is killed. */
interface Load {
  /** Ends it once each request has its response. */
  close(): Promise<unknown>;
}

export interface KillLoop<World extends { close(): Promise<unknown> }, Running extends Load> extends RowOptions {
  /** Starts what is killed; all trials share it. */
  start(): Promise<World>;
  /** This many trials share it instead: a server that keeps dying is restarted after growing delays. */
  readonly together?: number;
  load(world: World, trial: Trial): Running | Promise<Running>;
  /** Kills or breaks something under the load, and waits until it is mended. */
  strike(world: World, load: Running, trial: Trial): Promise<void>;
  /**
   * Compares what is stored with what was acknowledged, after the load has ended; returns the counts.
   * @throws if anything acknowledged is lost, or anything is there twice or in part
   */
  check(world: World, load: Running, trial: Trial): Promise<Readonly<Record<string, number>>>;
}

/** A row that kills something under load, again and again. */
export function killRow<World extends { close(): Promise<unknown> }, Running extends Load>(
  name: string,
  full: number,
  unit: string,
  { start, together = Number.POSITIVE_INFINITY, load, strike, check, ...options }: KillLoop<World, Running>,
): Row {
  return row(name, full, unit, options, async (trials) => {
    let world: World | undefined;
    await trials.open({ close: () => world?.close() });
    await trials.each(async (trial) => {
      if (trial.index % together === 0) {
        await world?.close();
        world = undefined;
      }
      world ??= await start();
      const running = await trial.open(load(world, trial));
      await strike(world, running, trial);
      await running.close();
      trial.add(await check(world, running, trial));
    });
  });
}
