/** Texts of several kinds, written for the tests of the counters. */

export const samples: { readonly [kind: string]: string } = {
  english: `The harbour master counted the boats twice before he believed the number. Eleven had left in the
morning, and twelve were lying at the quay. Nobody in the village owned a boat with a green hull, yet there it was,
tied up neatly between the ferry and the old trawler, its engine still warm. He walked along the wall, asked the
fishermen what they had seen, and wrote down every answer in the small notebook that he kept for such occasions.
Most of them shrugged. One said that the boat had arrived during the storm, when sensible people stay indoors; another
insisted that it had always been there. By evening the story had grown considerably: a smuggler, a runaway heiress,
an insurance fraud. The truth, when it finally came out some weeks later, was less exciting and far more convenient.`,
  code: `export async function readLines(path: string, options: ReadOptions = {}): Promise<string[]> {
  const { encoding = 'utf-8', limit = Number.POSITIVE_INFINITY } = options
  const lines: string[] = []
  for await (const chunk of openStream(path, encoding)) {
    for (const line of chunk.split('\\n')) {
      if (lines.length >= limit) return lines
      // Empty lines at the end say nothing.
      if (line.trim() !== '' || lines.length > 0) lines.push(line)
    }
  }
  return lines
}

def total_by_customer(orders, currency="EUR"):
    totals = {}
    for order in orders:
        if order.currency != currency:
            raise ValueError(f"order {order.id} is in {order.currency}, not {currency}")
        totals[order.customer_id] = totals.get(order.customer_id, 0) + order.amount
    return sorted(totals.items(), key=lambda item: -item[1])
`,
  json: `{
  "order": {
    "id": "ord_5821",
    "customer": { "name": "Maria Santos", "email": "maria@example.com", "since": "2021-04-17" },
    "items": [
      { "sku": "TEA-GREEN-250", "quantity": 3, "unit_price": 7.95, "gift": false },
      { "sku": "CUP-WHITE-02", "quantity": 1, "unit_price": 14.5, "gift": true }
    ],
    "shipping": { "method": "express", "address": { "street": "12 Mill Lane", "city": "York", "zip": "YO1 9TX" } },
    "total": 38.35,
    "paid": true,
    "notes": null
  }
}`,
  schema: JSON.stringify({
    type: 'function',
    name: 'search_documents',
    description: 'Search the documents of a project and return the passages that fit best.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for, in a few words' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many passages to return' },
        folders: { type: 'array', items: { type: 'string' }, description: 'Only look in these folders' },
        order: { type: 'string', enum: ['relevance', 'newest', 'oldest'] },
      },
      required: ['query'],
      additionalProperties: false,
    },
    strict: false,
  }),
  german: `Der Zug nach Lübeck hatte wieder einmal Verspätung, und auf dem Bahnsteig wurde es allmählich kühl. Eine
Durchsage kündigte an, dass die Weiterfahrt sich wegen einer Signalstörung um voraussichtlich zwanzig Minuten
verzögern werde. Die meisten Reisenden nahmen es gelassen hin, einige suchten vergeblich nach einem Sitzplatz im
Wartehäuschen, und ein älterer Herr erzählte jedem, der es hören wollte, dass früher alles pünktlicher gewesen sei.`,
  french: `Le marché du samedi commence avant l'aube, quand les premiers camions se garent le long de la rivière. Les
maraîchers déchargent des cagettes de légumes encore couverts de rosée, pendant que le fromager dispose ses tommes
sur une nappe blanche. À huit heures, la place est déjà pleine : on discute du prix des fraises, on goûte une
olive, on se plaint de la pluie qui n'arrive pas, et l'on rentre chez soi avec bien plus que ce qu'on avait prévu.`,
  russian: `Старый мост через реку закрыли на ремонт ещё весной, и теперь жителям приходится ездить в объезд через
соседнюю деревню. Дорога там узкая и неровная, поэтому автобус опаздывает почти каждый день. Учительница начальной
школы предложила собрать подписи и написать письмо в областную администрацию. За неделю письмо подписали почти все
взрослые, однако ответа до сих пор нет, а осенью обещают сильные дожди и новые трудности.`,
  chinese: `老城区的图书馆上个月重新开放了。工人们花了两年时间修理屋顶,更换电线,并且把阅览室的木地板全部打磨了一遍。
开放那天来了很多人,有的是从小在这里看书的老人,有的是第一次来的孩子。馆长说,以后每个星期三晚上都会举办讲座,
邀请作家和科学家跟读者见面。大家最高兴的是,靠窗的座位一个也没有减少。`,
  japanese: `駅前の小さなパン屋は、毎朝五時に明かりがつきます。店主は一人で生地をこね、窯に火を入れ、最初のお客さんが
来るまでに食パンを焼き上げます。常連のお年寄りは新聞を片手にコーヒーを飲み、学校へ行く子どもたちはメロンパンを
買って走っていきます。昼過ぎには棚がほとんど空になりますが、店主は次の日の準備を始めながら、いつも嬉しそうです。`,
  korean: `우리 동네 도서관은 작지만 언제나 사람들로 가득하다. 아침에는 시험을 준비하는 학생들이 자리를 잡고, 오후에는
아이들이 그림책을 고르러 온다. 사서는 책을 찾는 사람에게 친절하게 길을 알려 주고, 오래된 책의 찢어진 쪽을 조심스럽게
고친다. 겨울이 되면 난로 옆 의자가 가장 인기가 많아서, 모두가 조금씩 양보하며 앉는다.`,
  arabic: `افتتحت البلدية حديقة جديدة بالقرب من النهر، وفيها ملعب للأطفال وممرات طويلة للمشي. في المساء تجتمع
العائلات تحت الأشجار، ويلعب الصغار بالكرة بينما يشرب الكبار الشاي ويتحدثون عن أخبار اليوم. قال أحد السكان إن المكان
كان مهجورا منذ سنوات، وإن الجميع سعداء لأن المدينة اهتمت به أخيرا.`,
  hindi: `गाँव के बाहर एक पुराना कुआँ है जिसका पानी गर्मियों में भी ठंडा रहता है। पहले सभी लोग वहीं से पानी भरते थे, लेकिन
अब घरों में नल लग गए हैं। फिर भी शाम को बुज़ुर्ग वहाँ बैठकर बातें करते हैं और बच्चे पेड़ के नीचे खेलते हैं। पिछले साल
पंचायत ने कुएँ की मरम्मत करवाई और उसके चारों ओर एक छोटी दीवार बनवाई।`,
}
