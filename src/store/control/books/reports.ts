import type { Kysely } from 'kysely'
import type { ReportImportsTable, ReportLinesTable } from '../../engine/report-tables.ts'
import type { Database } from '../../engine/schema.ts'

const AT_ONCE = 500

export async function listImports(db: Kysely<Database>): Promise<ReportImportsTable[]> {
  return db.selectFrom('report_imports').selectAll().orderBy('id', 'desc').execute()
}

export async function findImport(db: Kysely<Database>, id: string): Promise<ReportImportsTable | null> {
  return (await db.selectFrom('report_imports').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The same file, read the same way. */
export async function findSameImport(
  db: Kysely<Database>,
  { source, provider, sha256, settings }: Pick<ReportImportsTable, 'source' | 'provider' | 'sha256' | 'settings'>,
): Promise<ReportImportsTable | null> {
  const found = db.selectFrom('report_imports').selectAll().where('sha256', '=', sha256).where('source', '=', source)
  return (
    (await found.where('provider', '=', provider).where('settings', '=', settings).orderBy('id').executeTakeFirst()) ??
    null
  )
}

/** Those that begin before the end and end after the start. */
export async function linesBetween(
  db: Kysely<Database>,
  { from, to, providers }: { from: number; to: number; providers: readonly string[] | null },
): Promise<ReportLinesTable[]> {
  const lines = db.selectFrom('report_lines').selectAll().where('starts_at', '<', to).where('ends_at', '>', from)
  return (providers === null ? lines : lines.where('provider', 'in', providers)).orderBy('id').execute()
}

export async function addImport(
  db: Kysely<Database>,
  report: ReportImportsTable,
  lines: readonly ReportLinesTable[],
): Promise<void> {
  await db.insertInto('report_imports').values(report).execute()
  for (let first = 0; first < lines.length; first += AT_ONCE) {
    await db
      .insertInto('report_lines')
      .values(lines.slice(first, first + AT_ONCE))
      .execute()
  }
}

export async function removeLines(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    await db
      .deleteFrom('report_lines')
      .where('id', 'in', ids.slice(first, first + AT_ONCE))
      .execute()
  }
}

export async function deleteImport(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('report_lines').where('import_id', '=', id).execute()
  await db.deleteFrom('report_imports').where('id', '=', id).execute()
}

export async function listReportModels(db: Kysely<Database>) {
  return db.selectFrom('report_models').selectAll().orderBy('provider').orderBy('name').execute()
}

/** Null: the name stands for itself again. */
export async function putReportModel(
  db: Kysely<Database>,
  { provider, name, model }: { provider: string; name: string; model: string | null },
): Promise<void> {
  await db.deleteFrom('report_models').where('provider', '=', provider).where('name', '=', name).execute()
  if (model !== null) await db.insertInto('report_models').values({ provider, name, model }).execute()
}
