import { Alert, Button, FileInput, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { FileJson } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import { bytes } from '../../format/number.ts'
import { FORMATS, formatOf, type ImportFormat, type Mapping, providersIn, readJson } from './import-list.ts'
import { ImportMapping } from './import-mapping.tsx'

export interface ImportSource {
  /** Undefined while there is none that could be read. */
  list: unknown
  format: ImportFormat
  mapping: Mapping
}

export const NO_SOURCE: ImportSource = { list: undefined, format: 'switchyard', mapping: {} }

export interface ImportSourceFormProps {
  source: ImportSource
  onChange: (part: Partial<ImportSource>) => void
  isBusy: boolean
  error: ApiError | null
  onPreview: () => void
}

/** A file or pasted text, its format (detected, or chosen by hand) and whose models are whose. */
export function ImportSourceForm({ source, onChange, isBusy, error, onPreview }: ImportSourceFormProps) {
  const [file, setFile] = useState<File | null>(null)
  const [pasted, setPasted] = useState('')
  const [problem, setProblem] = useState<string | null>(null)

  function read(text: string) {
    const parsed = text.trim() === '' ? null : readJson(text)
    setProblem(parsed === null || parsed.ok ? null : parsed.problem)
    const list = parsed?.ok ? parsed.value : undefined
    onChange({ list, mapping: {}, ...(list !== undefined && { format: formatOf(list) ?? source.format }) })
  }

  async function choose(chosen: File | null) {
    setFile(chosen)
    setPasted('')
    read(chosen === null ? '' : await chosen.text())
  }

  function preview(event: FormEvent) {
    event.preventDefault()
    if (source.list !== undefined) onPreview()
  }

  return (
    <form onSubmit={preview}>
      <Stack>
        <FileInput
          label="File"
          placeholder="Choose a JSON file"
          description={file === null ? 'It’s sent to your gateway and nowhere else' : bytes(file.size)}
          accept="application/json,.json"
          leftSection={<FileJson size={16} aria-hidden />}
          value={file}
          onChange={(chosen) => void choose(chosen)}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the file' }}
          error={file !== null && problem}
        />
        {file === null && (
          <Textarea
            label="Or paste its text"
            value={pasted}
            onChange={(event) => {
              setPasted(event.currentTarget.value)
              read(event.currentTarget.value)
            }}
            minRows={4}
            maxRows={10}
            autosize
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.78rem' } }}
            error={problem}
          />
        )}
        <FormatChoice format={source.format} onChange={(format) => onChange({ format, mapping: {} })} />
        {source.list !== undefined && (
          <ImportMapping
            listed={providersIn(source.list, source.format)}
            mapping={source.mapping}
            onChange={(mapping) => onChange({ mapping })}
          />
        )}
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {error.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={source.list === undefined}>
            Preview
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function FormatChoice({ format, onChange }: { format: ImportFormat; onChange: (format: ImportFormat) => void }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id="import-format">
        Format
      </Text>
      <SegmentedControl
        aria-labelledby="import-format"
        data={FORMATS.map(({ value, label }) => ({ value, label }))}
        value={format}
        onChange={(value) => onChange(value as ImportFormat)}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {FORMATS.find(({ value }) => value === format)?.hint}
      </Text>
    </div>
  )
}
