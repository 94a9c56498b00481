/** Bodies of one size and every kind of content: what one byte costs differs by a factor of a hundred. */
export const CONTENTS: Readonly<Record<string, (bytes: number) => string>> = {
  'one text': (bytes) => withMessages(user(`"${'The quick brown fox jumps over the lazy dog. '.repeat(bytes / 45)}"`)),
  'text beyond Latin-1': (bytes) =>
    withMessages(user(`"${'Zwölf Boxkämpfer jagen Viktor – 中文. '.repeat(bytes / 47)}"`)),
  'escaped text': (bytes) => withMessages(user(`"${'\\n\\"a\\u00e4'.repeat(bytes / 11)}"`)),
  'an image': (bytes) => {
    const url = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'.repeat(bytes / 44)}`
    return withMessages(
      user(`[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"${url}"}}]`),
    )
  },
  'tiny messages': (bytes) => withMessages(list(user('"hi"'), bytes)),
  'tiny parts': (bytes) => withMessages(user(`[${list('{"type":"text","text":"a"}', bytes)}]`)),
  'tiny tools': (bytes) =>
    withTools(numbered(bytes / 66, (n) => `{"type":"function","function":{"name":"f${n}","parameters":{}}}`)),
  'empty objects': (bytes) =>
    withTools(`{"type":"function","function":{"name":"f","parameters":{"x":[${list('{}', bytes)}]}}}`),
  'many names': (bytes) => withMessages(user('"hi"'), `,"metadata":{${numbered(bytes / 12, (n) => `"k${n}":1`)}}`),
}

function withMessages(messages: string, more = ''): string {
  return `{"model":"fast","messages":[${messages}]${more}}`
}

function withTools(tools: string): string {
  return withMessages(user('"hi"'), `,"tools":[${tools}]`)
}

function user(content: string): string {
  return `{"role":"user","content":${content}}`
}

function list(item: string, bytes: number): string {
  return Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join()
}

function numbered(count: number, item: (number: string) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => item(String(index).padStart(6, '0'))).join()
}
