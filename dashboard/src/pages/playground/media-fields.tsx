import { FileInput, Group, Select, Textarea, TextInput } from '@mantine/core'
import { FileAudio } from 'lucide-react'
import { useState } from 'react'
import { FORMATS, type Media, type MediaDraft, MOST_BYTES, QUALITIES, SIZES } from './media-draft.ts'

export interface MediaFieldsProps {
  media: Media
  draft: MediaDraft
  onDraft: (change: Partial<MediaDraft>) => void
}

export function MediaFields({ media, draft, onDraft }: MediaFieldsProps) {
  if (media === 'transcriptions') return <SoundField onDraft={onDraft} />
  return (
    <>
      <Textarea
        label={media === 'images' ? 'Prompt' : 'Text'}
        placeholder={media === 'images' ? 'What should the image show?' : 'What should be said?'}
        autosize
        minRows={3}
        maxRows={14}
        value={draft.text}
        onChange={(event) => onDraft({ text: event.currentTarget.value })}
      />
      <Group grow align="flex-start">
        {media === 'images' ? (
          <>
            <Choice label="Size" values={SIZES} value={draft.size} onChange={(size) => onDraft({ size })} />
            <Choice
              label="Quality"
              values={QUALITIES}
              value={draft.quality}
              onChange={(quality) => onDraft({ quality })}
            />
          </>
        ) : (
          <>
            <TextInput
              label="Voice"
              value={draft.voice}
              onChange={(event) => onDraft({ voice: event.currentTarget.value })}
            />
            <Choice label="Format" values={FORMATS} value={draft.format} onChange={(format) => onDraft({ format })} />
          </>
        )}
      </Group>
    </>
  )
}

interface ChoiceProps {
  label: string
  values: string[]
  value: string
  onChange: (value: string) => void
}

function Choice({ label, values, value, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      data={values}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen ?? value)}
    />
  )
}

function SoundField({ onDraft }: Pick<MediaFieldsProps, 'onDraft'>) {
  const [file, setFile] = useState<File | null>(null)
  const isTooLarge = file !== null && file.size > MOST_BYTES
  async function choose(chosen: File | null) {
    setFile(chosen)
    onDraft({ file: null })
    if (chosen !== null && chosen.size <= MOST_BYTES)
      onDraft({ file: { name: chosen.name, data: await base64Of(chosen) } })
  }
  return (
    <FileInput
      label="Sound"
      description="Up to 20 MiB"
      placeholder="Choose a file"
      accept="audio/*,video/mp4,video/webm"
      leftSection={<FileAudio size={16} aria-hidden />}
      clearable
      clearButtonProps={{ 'aria-label': 'Remove the file' }}
      value={file}
      error={isTooLarge ? 'The file is larger than 20 MiB.' : undefined}
      onChange={(chosen) => void choose(chosen)}
    />
  )
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',').at(-1) ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
