import { Page } from '../../components/page.tsx'

export function KeysPage() {
  return <Page title="Keys" />
}
