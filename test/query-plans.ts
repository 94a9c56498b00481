import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely'
import type { Engine } from '../src/store/engine/engine.ts'
import type { Database } from '../src/store/engine/schema.ts'

/** Records the queries of a connection; `text` returns the engine's plan of each distinct one. */
export function watchPlans(db: Kysely<Database>, engine: Engine): { db: Kysely<Database>; text(): Promise<string> } {
  const asked = new Map<string, CompiledQuery>()
  const executor = db.getExecutor()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const compiled = executor.compileQuery(node, queryId)
      if (!asked.has(compiled.sql)) asked.set(compiled.sql, CompiledQuery.raw(compiled.sql, [...compiled.parameters]))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    db: db.withPlugin(plugin),
    async text() {
      const plans: string[] = []
      for (const query of asked.values()) plans.push(`${shortened(query.sql)}\n${await planOf(db, engine, query)}`)
      return plans.join('\n')
    },
  }
}

async function planOf(db: Kysely<Database>, engine: Engine, query: CompiledQuery): Promise<string> {
  const prefix = engine === 'sqlite' ? 'explain query plan' : 'explain'
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]),
  )
  return rows.map((row) => `    ${String(row['detail'] ?? row['QUERY PLAN'])}`).join('\n')
}

/** Without the columns, which do not affect the plan. */
function shortened(text: string): string {
  return text.replace(/^select .*? from /s, 'select … from ').replaceAll(/\s+/g, ' ')
}
