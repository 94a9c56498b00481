/**
 * What a value is. The kind decides the type in the record (request-log/record.ts), how the value becomes a value of
 * the row (request-log/row.ts), its type there (store/engine/schema.ts) and how the API shows it (management/requests).
 */
export type FieldKind =
  | 'id'
  | 'state'
  | 'text'
  | 'code'
  | 'time'
  | 'end'
  | 'whole'
  | 'count'
  | 'microseconds'
  | 'flag'
  | 'money'
  | 'hold'
  | 'texts'
  | 'adjustments'
  | 'attempts'
  | 'tags'
  | 'figures'

export interface LogField {
  /** In the request table. */
  column: string
  /** In the record that the gateway writes; of usage in `TokenUsage`. */
  name: string
  /**
   * Known from the admission on (`open`; the closing record repeats it), known at the end (`close`), a part of the
   * usage, or worked out when the row is made (`row`).
   */
  from: 'open' | 'close' | 'usage' | 'row'
  kind: FieldKind
  doc: string
  /** Callers or providers choose the text: cut where it is longer than any name. */
  isForeign?: boolean
  /** The layout of spool lines that it came with; by default the first (spool/record-lines.ts). */
  since?: number
  /** An index of the request table contains it. */
  isIndexed?: boolean
  /** Name in the management API and in the export; by default the column. Null: not shown. */
  api?: string | null
  export?: string | null
}

type More = Omit<LogField, 'column' | 'name' | 'from' | 'kind' | 'doc'>

/** Makes rows of fields that have one source. */
export function rowsFrom<const From extends LogField['from']>(from: From) {
  return <
    const Column extends string,
    const Name extends string,
    const Kind extends FieldKind,
    const Rest extends More = Record<never, never>,
  >(
    column: Column,
    name: Name,
    kind: Kind,
    doc: string,
    rest = {} as Rest,
  ) => ({ column, name, from, kind, doc, ...rest })
}
