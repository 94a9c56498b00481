import type { ExactInteger } from './exact-integer.ts'

/** A file that was imported. */
export interface ReportImportsTable {
  id: string
  source: string
  provider: string
  name: string
  sha256: string
  /** JSON: accounts and rates that it was read with. */
  settings: string
  lines: number
  starts_at: number
  ends_at: number
  imported_at: number
  imported_by: string
}

/** A line of a provider's report, as in reconcile/line.ts. */
export interface ReportLinesTable {
  id: string
  import_id: string
  source: string
  provider: string
  starts_at: number
  ends_at: number
  zone: string
  account: string | null
  model: string | null
  tier: string | null
  class: string
  quantity: ExactInteger | null
  unit: string | null
  amount_picodollars: ExactInteger | null
  stated: string | null
  currency: string | null
  requests: ExactInteger | null
  tolerance_picodollars: ExactInteger
  ordinal: number
}

/** What a model's name in reports stands for. */
export interface ReportModelsTable {
  provider: string
  name: string
  model: string
}

/** Whose key an account of reports is: an API key, project or workspace of the vendor. */
export interface ReportAccountsTable {
  /** That the reports were imported for. */
  provider: string
  account: string
  /** The provider of this gateway that has the key. */
  owner: string
}

/** A month that a person has closed. */
export interface MonthClosesTable {
  /** `2026-10` */
  month: string
  closed_at: number
  closed_by: string
  /** Of the content. */
  sha256: string
  /** The books of the month, as in reconcile/close/month-books.ts. */
  content: string
}
