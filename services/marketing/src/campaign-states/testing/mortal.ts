import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';

/** The error of every statement of a killed process. */
class Killed extends Error {
  override readonly name = 'Killed';
}

interface Life {
  statementsLeft: number;
  isOver: boolean;
}

/**
 * Work on a data source that dies at a chosen statement like by kill -9: its connection is closed before the statement,
 * and no later statement reaches the database. Other users of the data source continue.
 */
export class Mortal {
  private readonly lives = new AsyncLocalStorage<Life>();

  /** @param undertaker may end connections of the service, which its own role must not */
  constructor(
    dataSource: DataSource,
    private readonly undertaker: Client,
  ) {
    const create = dataSource.createQueryRunner.bind(dataSource);
    dataSource.createQueryRunner = (...given) => {
      const runner = create(...given);
      const query = runner.query.bind(runner);
      runner.query = async (...statement: Parameters<typeof query>) => {
        const life = this.lives.getStore();
        if (life) await this.live(life, () => query('select pg_backend_pid() as pid'));
        return query(...statement);
      };
      return runner;
    };
  }

  /** @returns false when the work ended before its statement with this number, from 0 */
  async dies(statement: number, work: () => Promise<unknown>): Promise<boolean> {
    const life: Life = { statementsLeft: statement, isOver: false };
    await this.lives.run(life, work).catch((error: unknown) => {
      if (!life.isOver) throw error;
    });
    const died = life.isOver;
    // what it has woken lives on
    if (!died) life.statementsLeft = Number.POSITIVE_INFINITY;
    return died;
  }

  private async live(life: Life, askPid: () => Promise<[{ pid: number }]>): Promise<void> {
    if (life.isOver) throw new Killed('this process is dead');
    if (life.statementsLeft-- > 0) return;
    life.isOver = true;
    const [{ pid }] = await askPid();
    await this.undertaker.query('select pg_terminate_backend($1, 5000)', [pid]);
    throw new Killed('killed here');
  }
}
