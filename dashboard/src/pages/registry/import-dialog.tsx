import { Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { ImportDone } from './import-done.tsx'
import { mappingText } from './import-list.ts'
import { ImportPreview } from './import-preview.tsx'
import type { ImportReport } from './import-rows.tsx'
import { type ImportSource, ImportSourceForm, NO_SOURCE } from './import-source.tsx'

/** From a price list to new prices: choose it, look at what it would change, apply it. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [isCovered, setCovered] = useState(false)
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Import prices"
      size={900}
      closeOnEscape={!isCovered}
      closeOnClickOutside={false}
    >
      {/* Only while it is open, so that it starts empty every time. */}
      {isOpen && <Steps onClose={onClose} onCover={setCovered} />}
    </Modal>
  )
}

function Steps({ onClose, onCover }: { onClose: () => void; onCover: (isCovered: boolean) => void }) {
  const [source, setSource] = useState<ImportSource>(NO_SOURCE)
  const [preview, setPreview] = useState<ImportReport | null>(null)
  const look = useChange('registry.import')
  const apply = useChange('registry.import')
  const input = (dryRun: 'true' | 'false') => ({
    query: { dry_run: dryRun, format: source.format, providers: mappingText(source.mapping) },
    body: source.list,
  })
  if (apply.data !== undefined) return <ImportDone report={apply.data} onClose={onClose} />
  if (preview !== null) {
    return (
      <ImportPreview
        report={preview}
        onBack={() => setPreview(null)}
        onApply={() => apply.mutate(input('false'))}
        onCover={onCover}
        isBusy={apply.isPending}
        error={apply.error}
      />
    )
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        You see the changes before anything is applied. Prices are taken exactly as written; rows that can’t be are
        skipped and listed.
      </Text>
      <ImportSourceForm
        source={source}
        onChange={(part) => setSource((now) => ({ ...now, ...part }))}
        isBusy={look.isPending}
        error={look.error}
        onPreview={() => look.mutate(input('true'), { onSuccess: setPreview })}
      />
    </Stack>
  )
}
