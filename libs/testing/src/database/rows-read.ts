/** The required part of a TypeORM DataSource. */
interface Database {
  transaction<T>(run: (manager: Queryable) => Promise<T>): Promise<T>;
}
interface Queryable {
  query(sql: string, parameters?: object): Promise<unknown>;
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}
interface Explained {
  'QUERY PLAN': { Plan: PlanNode }[];
}

/**
 * How many rows a statement reads of tables: what its scans return and what they read in vain. It is run, and its effect
 * is undone.
 */
export async function rowsRead(database: Database, sql: string, parameters: object = []): Promise<number> {
  let plans: PlanNode[] = [];
  const undone = new Error('undone');
  await database
    .transaction(async (manager) => {
      const rows = await manager.query(`explain (analyze, format json) ${sql}`, parameters);
      plans = (rows as Explained[]).flatMap((row) => row['QUERY PLAN']).map(({ Plan }) => Plan);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return sum(plans);
}

const sum = (nodes: readonly PlanNode[]): number =>
  nodes.reduce((total, node) => total + ofScan(node) + sum(node.Plans ?? []), 0);

function ofScan(node: PlanNode): number {
  if (node['Relation Name'] === undefined || !node['Node Type'].includes('Scan')) return 0;
  const inVain = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + inVain) * node['Actual Loops'];
}
