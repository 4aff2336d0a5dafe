import type { WireService } from '../../service.ts'

export const messagesService: WireService = {
  http: { routes: [{ method: 'POST', path: '/v1/messages' }] },
}
