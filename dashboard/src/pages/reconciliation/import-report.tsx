import { Button, Checkbox, FileInput, Modal, Paper, Select, Stack, Text } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { type DragEvent, type FormEvent, useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { MayButton } from '../../components/may-button.tsx'
import { tell } from '../../components/tell.ts'
import { bytes } from '../../format/number.ts'
import { useUrlState } from '../../shell/place.ts'

/** Its dialog is in the address, so that the palette opens it too. */
export function ImportButton() {
  const [{ import: isOpen }, change] = useUrlState()
  return (
    <>
      <MayButton
        to="reports.import"
        size="xs"
        leftSection={<FileUp size={14} aria-hidden />}
        onClick={() => change({ import: '1' })}
      >
        Import report
      </MayButton>
      <Modal opened={isOpen === '1'} onClose={() => change({ import: null })} title="Import a provider’s report">
        <ImportForm onDone={() => change({ import: null })} />
      </Modal>
    </>
  )
}

function ImportForm({ onDone }: { onDone: () => void }) {
  const reports = useOperation('reports.list', {})
  const providers = useOperation('providers.list', {})
  const [file, setFile] = useState<File | null>(null)
  const [source, setSource] = useState<string | null>(null)
  const [provider, setProvider] = useState<string | null>(null)
  const [replace, setReplace] = useState(false)
  const change = useChange('reports.import')
  const names = (providers.data?.data ?? []).map(({ name }) => name)

  async function send(event: FormEvent) {
    event.preventDefault()
    if (file === null || source === null || provider === null) return
    const body = { source, provider, file_name: file.name.slice(0, 200), text: await file.text(), replace }
    change.mutate(
      { body },
      {
        onSuccess({ added, unchanged, replaced }) {
          tell(`Imported ${file.name}: ${added} lines added, ${unchanged} unchanged, ${replaced} replaced.`)
          onDone()
        },
      },
    )
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    const [dropped] = event.dataTransfer.files
    if (dropped !== undefined) setFile(dropped)
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <Paper withBorder p="sm" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
          <FileInput
            label="File"
            placeholder="Choose a file, or drop it here"
            description={
              file === null
                ? 'CSV or JSON as the provider exports it. It’s sent to your gateway only'
                : bytes(file.size)
            }
            leftSection={<FileUp size={16} aria-hidden />}
            value={file}
            onChange={setFile}
            clearable
            clearButtonProps={{ 'aria-label': 'Remove the file' }}
          />
        </Paper>
        <Select
          label="Form of the report"
          placeholder="For example csv"
          data={reports.data?.sources ?? []}
          value={source}
          onChange={setSource}
        />
        <Select
          label="Provider"
          description="Provider of this gateway that the report is about"
          placeholder="Choose a provider"
          data={names}
          value={provider}
          onChange={setProvider}
        />
        <Checkbox
          label="A corrected file: replace its days and accounts"
          checked={replace}
          onChange={(event) => setReplace(event.currentTarget.checked)}
        />
        {change.error !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {change.error.message}
          </Text>
        )}
        <Button
          type="submit"
          loading={change.isPending}
          disabled={file === null || source === null || provider === null}
        >
          Import
        </Button>
      </Stack>
    </form>
  )
}
