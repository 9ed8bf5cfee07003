package tokenize

import (
	"strings"
	"sync"
)

// functionWords returns, for each language, frequent words that are independent of a text's
// subject: articles, pronouns, prepositions, conjunctions, forms of to be and to have.
// They serve as stop words and, since half of all words in any text are among them, to
// detect the language.
//
// Folded as terms are: lower case, with ' for the apostrophe.
func functionWords() map[string]string {
	return map[string]string{
		"en": `the of and to a in is that it for was on are as with his they i at be this have from or had by not but what
		all were we when your can said there an each which she do how their if will up other about out many then them
		these so some her would him into has more two no my than been who its now did over such our any may only very
		just also after before because where while does should could me you he us am being don't it's i'm`,
		"fr": `le la les de des du un une et en est que qui dans pour pas par sur au aux avec ce ces cette son sa ses il elle étaient
		ils elles nous vous je tu on ne se plus ou mais comme être avoir sont était ont été a leur leurs sans sous entre
		même aussi tout tous toute où si dont y fait peut très bien encore notre votre mon ma mes quand donc après avant
		depuis car cela`,
		"es": `el la los las de del y en que a un una es se no por con para su sus al lo como más pero o este esta estos
		estas ese esa le les ha han fue era son ser está están hay ya muy sin sobre también me mi te tu nos si porque
		cuando donde quien desde hasta entre todo todos toda durante uno dos yo él ella ellos nosotros usted fueron tiene
		puede`,
		"ru": `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня
		еще ещё нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас они тут где есть для мы тебя их
		чем была сам чтоб без будто себя это этот эта эти при после которые который также между были может`,
		"sv": `och i att det som en på är av för med den till inte har de ett om var sig så men jag vi han hon från kan när
		eller nu över vid också efter upp ut då under bara sin sina mot där än vad skulle vara hade blev blir alla du er
		dem oss detta dessa denna mycket ska`,
		"no": `og i det som en på er av for med den til ikke har de et om var seg så men jeg vi han hun fra kan når eller nå
		over ved også etter opp ut da under bare sin sine mot der enn hva skulle være hadde ble blir alle du dere dem oss
		dette disse denne mye skal å noe bli vært mellom`,
		"hu": `a az és hogy nem is egy ez azt de csak meg volt van már még ha mint vagy el ki fel be le sem ezt aki ami
		amely akkor én te ő mi ti ők lesz lehet minden után között pedig mert így úgy ott itt most nagyon kell voltak
		szerint által valamint illetve során ezek olyan több`,
		"ar": `في من على إلى أن عن مع هذا هذه التي الذي كان كانت قد لا ما لم لن هو هي هم كل بعد قبل بين أو ثم حيث عند عندما
		ذلك تلك كما لكن إن أي منذ حتى غير بعض هناك يكون تكون ولا وقد وفي ومن أنه أنها به لها له فيها فيه الذين ليس خلال
		ضد إذا`,
		"da": `og i det som en på er af for med den til ikke har de et om var sig så men jeg vi han hun fra kan når eller nu
		over ved også efter op ud da under kun sin sine mod der end hvad skulle være havde blev bliver alle du jer dem os
		dette disse denne meget skal at noget blive været mellem`,
		"nl": `de het een en van in is dat die op te voor met zijn niet aan er om ook als maar dan bij uit door naar of over
		was ze je ik we hij zij wij u hun haar deze dit nog wel kan werd wordt worden heeft hebben had al geen meer tot
		onder tegen na zou moet veel zich tussen waren omdat`,
		"fi": `ja on ei se että oli hän ovat joka mutta myös kun niin kuin tai ole sen tämä minä sinä me te he ne olla olivat
		jos vain nyt jo ollut mitä kanssa sitä tämän siitä sekä ennen jälkeen vielä koska jotka voi voivat hänen
		heidän mukaan eivät jonka kaikki tätä sitten`,
		"de": `der die das und in zu den von mit ist im dem nicht ein eine einen einem einer auf für als auch es an werden aus
		er hat dass sie nach wird bei um am sind noch wie über so zum zur haben nur oder aber vor bis mehr durch man sein
		wurde sei ich wir ihr mich dir uns kann wenn war waren unter diese dieser dieses kein keine`,
		"it": `il lo la i gli le di a da in con su per tra fra un uno una e è che non si del dello della dei degli delle al
		alla ai alle dal dalla nel nella sul sulla come più ma o anche sono era ha hanno ho questo questa questi queste
		quello quella se io tu lui lei noi voi loro suo sua suoi sue mi ti ci vi ne cui quando dove perché essere stato`,
		"pt": `o a os as de do da dos das e em no na nos nas um uma que é para com não por mais se como mas foi ao aos à às ele
		ela eles elas seu sua seus suas ou ser quando muito já eu também só pelo pela até isso entre era depois sem mesmo
		ter são está você esse essa este esta nós há têm foram pode`,
		"ro": `și în de la cu pe nu un o a ce că din care este sunt mai pentru prin sau dar ca se să al ale ai lui ei el ea
		ele au fost am are era după până între fără despre când unde cum dacă acest această acestea aceste acela foarte tot
		toate fi îi își le lor eu tu noi voi poate sub`,
		"tr": `ve bir bu da de için ile çok daha olarak gibi olan o ne var ki ama kadar en sonra mi mı mu her şey ben sen biz
		siz onlar şu ya veya değil ise göre hem diye önce ancak bile olduğu oldu olup tarafından yok böyle şöyle
		kendi nasıl neden tüm arasında bazı`,
		"ta": `ஒரு என்று மற்றும் இந்த இது அது அந்த என்ற என உள்ள இருந்து மேலும் ஆனால் அல்லது அவர் அவர்கள் நான் நீ நாம் என்ன எப்படி
		போது கொண்டு மிக பல சில இல்லை உள்ளது ஆகும் வேண்டும் பற்றி போன்ற தான் அதன் இதன்`,
		"ga": `an na agus ar i a is go le ag do de tá bhí sé sí siad mé tú muid sin seo ach nach ní níl gur más nó faoi ó
		chun idir roimh tar éis gach aon mar bheith sa san leis don den raibh féin eile mó ina ón trí
		iad bhfuil`,
		"pl": `i w na z się nie do to że jest o a jak po za od co tak ale przez dla są był była było być ich tego już tylko
		który która które przy może jego jej oraz czy tym ze ma pod także między`,
		"cs": `a v se na je to že s z do o i jako za by ale ve pro od k po tak jsou byl byla bylo být jeho která který
		při nebo také aby již jen podle jsem mezi které není ke ze`,
		"uk": `і в у на не що з до та як за це його він але від й по для є був була було бути її вони ми який яка які про так
		також може при або якщо після тільки між цього цей`,
		"bg": `и на в да се за от не с че е са по си като до но това ще които който която или също със към след между може
		беше бил има още само при през тези този`,
		"ca": `el la els les de del dels i en que a un una és es no per amb al als com més però o aquest aquesta aquests són
		va van ha han seu seva seus ser també sobre entre molt quan on si fins ho hi tot tots`,
		"id": `yang dan di dari untuk dengan ini itu pada adalah dalam tidak akan ke oleh sebagai juga karena atau telah bahwa
		ada mereka dia kami kita saya lebih bisa dapat saat seperti setelah para`,
		"hr": `i u je na se da za su od s a kao o ne što to koji koja koje bio bila bilo biti iz do ali nije po ili će te sa
		prema ako samo njegov između još kako može bi ima`,
		"fa": `و در به از که این را با است برای آن یک تا می بر خود هم نیز شد بود شده ها اما یا هر باید کرد کرده دارد
		هستند بین پس`,
	}
}

// stopWords returns for each function word the languages it belongs to. It is made on
// first use: most specs never need it, and a process that answers one message would spend
// a tenth of a millisecond on it.
var stopWords = sync.OnceValue(func() map[string]langSet {
	index := make(map[string]langSet, 2000)
	words := functionWords()
	for l, code := range codes {
		for word := range strings.FieldsSeq(words[code]) {
			index[word] |= 1 << uint(l)
		}
	}
	return index
})
