import { ReportProblem } from '../line.ts'

/** A record with the line on which it begins; values by the names of the header. */
export interface CsvRecord {
  line: number
  values: Readonly<Record<string, string>>
}

const MOST_FIELD = 65_536
const MOST_COLUMNS = 1_000

type Chunks = AsyncIterable<string> | Iterable<string>

/** The records of a CSV file by RFC 4180, as they arrive: memory does not grow with the file. */
export async function* csvRecords(chunks: Chunks): AsyncGenerator<CsvRecord> {
  let header: string[] | null = null
  for await (const { line, fields } of rows(chunks)) {
    if (fields.length === 1 && fields[0] === '') continue
    if (header === null) {
      header = headerOf(fields)
      continue
    }
    if (fields.length !== header.length) {
      const problem = `has ${fields.length} fields, the header has ${header.length}; the file may be truncated`
      throw new ReportProblem(`line ${line}`, problem)
    }
    yield { line, values: Object.fromEntries(header.map((name, index) => [name, fields[index] ?? ''])) }
  }
  if (header === null) throw new ReportProblem('line 1', 'the file is empty; a header line is required')
}

function headerOf(fields: readonly string[]): string[] {
  const names = fields.map((name) => name.trim())
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new ReportProblem('line 1', `the column "${repeated}" is there twice`)
  return names
}

interface Row {
  line: number
  fields: string[]
}

async function* rows(chunks: Chunks): AsyncGenerator<Row> {
  const reader = createReader()
  for await (const chunk of chunks) {
    reader.take(chunk)
    yield* reader.done()
  }
  reader.end()
  yield* reader.done()
}

/** Inside a quoted field, at a quote inside one (which ends it or stands for a quote), or outside. */
type State = 'plain' | 'quoted' | 'quote'

function createReader() {
  let [state, line, first, field, isFirst]: [State, number, number, string, boolean] = ['plain', 1, 1, '', true]
  let fields: string[] = []
  let complete: Row[] = []
  const endField = () => {
    if (field.length > MOST_FIELD || fields.length >= MOST_COLUMNS) {
      throw new ReportProblem(`line ${first}`, 'is too long to be a line of a report')
    }
    fields.push(field)
    field = ''
    state = 'plain'
  }
  const endRow = () => {
    if (field.endsWith('\r') && state === 'plain') field = field.slice(0, -1)
    endField()
    complete.push({ line: first, fields })
    fields = []
    first = line
  }
  const character = (each: string) => {
    if (each === '\n') line++
    if (state === 'quoted') {
      if (each === '"') state = 'quote'
      else field += each
    } else if (each === '"' && (state === 'quote' || field === '')) {
      if (state === 'quote') field += '"'
      state = 'quoted'
    } else if (each === ',') endField()
    else if (each === '\n') endRow()
    else if (each !== '\r' || state === 'plain') field += each
  }
  return {
    take(chunk: string): void {
      const text = isFirst && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk
      if (chunk !== '') isFirst = false
      for (const each of text) character(each)
      if (field.length > MOST_FIELD) endField()
    },
    end(): void {
      if (state === 'quoted') throw new ReportProblem(`line ${first}`, 'a quote is not closed; the file is truncated')
      if (field !== '' || fields.length > 0) endRow()
    },
    done(): Row[] {
      const found = complete
      complete = []
      return found
    },
  }
}
