package token

import (
	"strings"

	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// stemmers has the stemmer of each language: of English, Porter 2. Those of Snowball that are missing here need
// accents everywhere, and Fold removes them.
var stemmers = map[string]stemmer{
	"da": {stem: danish.Stem},
	"de": {stem: german.Stem},
	"en": {stem: english.Stem, exceptions: exceptionsOf(englishExceptions)},
	"es": {stem: spanish.Stem, accents: []string{"cion", "ción", "sion", "sión"}},
	"fi": {stem: finnish.Stem},
	"fr": {stem: french.Stem, accents: []string{"ees", "ées", "ee", "ée"}},
	"it": {stem: italian.Stem, accents: []string{"ita", "ità"}},
	"nb": {stem: norwegian.Stem},
	"nl": {stem: dutch.Stem},
	"nn": {stem: norwegian.Stem},
	"no": {stem: norwegian.Stem},
	"pt": {stem: portuguese.Stem, accents: []string{"cao", "ção", "coes", "ções", "sao", "são", "soes", "sões"}},
	"ru": {stem: russian.Stem, accents: []string{"ыи", "ый", "ои", "ой", "еи", "ей"}},
	"sv": {stem: swedish.Stem},
}

// englishExceptions lists words to which Porter 2 gives the stem of words with another meaning: "animate" that of
// "animals", "accounting" that of "accounts". The words of a line have its first word as their stem.
const englishExceptions = `
	accounting accountancy accountant accountants
	animate animated animates animating animation animations animator animators
	awful awfully
	convert conversion conversions
	detective detectives
	executive executives
	expensive expensively
	humanities
	important importance importantly
	objection objections
	objective objectives objectively
	organs organ
	politics political politically
	positive positives positively
	productive productivity productively
	severity severe severely
	terminate terminated terminates terminating termination terminations`

// exceptionsOf returns the stem of each word.
func exceptionsOf(lines string) map[string]string {
	stems := map[string]string{}
	for line := range strings.Lines(lines) {
		for words := strings.Fields(line); len(words) > 0; words = words[:len(words)-1] {
			stems[words[len(words)-1]] = words[0]
		}
	}
	return stems
}

const norwegianFunctionWords = `
	alle at av bare begge ble bli blir både da de deg dem den der dere deres det dette di din disse du eg eit ein
	eller en er et etter for fordi fra før ha hadde han har hun hva hvem hver hvilken hvor hvordan hvorfor i ikke
	ikkje inn jeg kan kom kunne med meg mellom men min mitt mot må mye ned noe noen når og også om opp oss over
	på seg selv sin skal skulle slik som så til trenger uten ut var ved vi vil ville vår være`

// functionWords has the words of each language that have no meaning of their own in a query.
var functionWords = map[string]string{
	"en": `
	a about all also am an and any are as at be been but by can could did do does for from get give had has have
	help her here him his how i if in into is it its just like look looking lets let make me my need needs of on
	onto or our out over please s she should so some something someone such t than that the their them then
	there these they thing things this those to up us use used using very via want wants was way we were what
	whats when where which who whose whom why will with without would you your should must may might shall wanna
	gonna im ive id dont doesnt cant isnt wont theres arent hasnt havent wouldnt thats whos youre only too
	though although because since per`,
	"da": `
	af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end
	er et for fordi fra før ham han har have havde hende her hos hun hvad hvem hvilken hvis hvor hvordan hvorfor
	i ikke ind jeg jer kan kun kunne man med meget men mig min mod må ned noget nogle nu når og også om op os
	over på selv sig sin skal skulle som sådan så til ud uden under var ved vi vil ville vores være`,
	"de": `
	aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist brauche brauchen bräuchte da
	dabei dafür daher damit dann daran darauf darin das dass daß davon dazu dein deine dem den denn der des dich
	die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
	etwas euch für geht gern gerne gibt habe haben hat hätte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
	in indem ins irgendwie ist ja jede jedem jeden jeder jedes kann kannst kein keine keinem keinen keiner können
	könnte machen man mal mein meine meinem meinen meiner mich mir mit möchte möchten mögen muss müssen nach nicht
	nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so soll sollen
	sollte über um und uns unser unsere unserem unseren unserer unter viel vom von vor wann war waren warum was
	wegen weil welche welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wollen womit
	würde würden zu zum zur zwischen`,
	"es": `
	a al algo alguna alguno algunos ante antes aquel aquella así aunque cada como cómo con contra cual cuál cuando
	cuándo de del desde donde dónde durante e el él ella ellas ellos en entre era es esa ese eso esta está estar
	este esto estos están fue ha había hacer hasta hay la las le les lo los más me mi mis mucho muy necesito ni no
	nos nuestra nuestro o os para pero poco poder por porque puede puedo que qué quien quién quiero se sea ser si
	sí sin sobre son soy su sus también tan te tener tengo tiene todo todos tu tus u un una unas uno unos usted y
	ya yo`,
	"fi": `
	ei eivät emme en et että he hän häntä ja jo joka jos jossa jota jotka kanssa keitä ketä koska kuin kuinka kuka
	kun me mihin mikä miksi millä minua minulla minulle minun minä missä mitä mukaan mutta myös ne niin nyt näin
	nämä olen oli olla on ovat se sekä sen siellä siis siitä sinun sinä sitä tai te tämä tämän tässä tätä vaan vai
	vain voi voin yli haluan tarvitsen`,
	"fr": `
	à afin ai aime alors au aucun aussi autre aux avec avoir besoin c ça car ce cela ces cet cette chez ci comme
	comment d dans de des donc dont du elle elles en encore entre est et être eu eux faire fait faut il ils j je
	jusque l la le les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous on ont ou où par parce
	pas pendant peu peut peux plus pour pourquoi qu quand que quel quelle quelles quels quelque qui quoi s sa sans se
	selon ses si son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vers veux voici voilà
	voudrais vos votre vous y était`,
	"it": `
	a ad agli ai al alla alle allo anche avere c che chi ci ciò come con contro cosa cui d da dagli dai dal dalla
	dalle dallo degli dei del dell della delle dello dentro di dove e è ed era essere fa fare gli ha hai hanno ho i
	il in io l la le lei li lo loro ma me mi mia mie mio miei molto ne negli nei nel nella nelle nello noi non
	nostra nostro o ogni ora per perché più poi posso puoi può qual quale quali quando quanto quel quella quelli
	quello questa queste questi questo qui se sei sempre senza serve si sia sono sta su sua sue sugli sui sul sulla
	sulle suo suoi tra tu tua tue tuo tuoi tutti tutto un una uno vi voglio voi vorrei`,
	"nb": norwegianFunctionWords,
	"nl": `
	aan al alle alles als ben bij dan dat de deze die dit doch doen door dus een en er ge geen had hebben heb heeft
	hem het hier hij hoe hun iets ik in is ja je jij jouw kan kunnen maar me meer men met mij mijn moet na naar
	niet niets nog nodig nu of om omdat ons onze ook op over te tegen toch toen tot u uit uw van veel voor waar
	waarom wat we wel welke werd wie wij wil willen worden wordt zal ze zelf zich zij zijn zo zonder zou`,
	"nn": norwegianFunctionWords,
	"no": norwegianFunctionWords,
	"pt": `
	a algo alguém algum alguma ao aos aquela aquele aqueles aquilo as até cada com como da das de dela dele deles
	depois do dos e é ela elas ele eles em entre era essa esse esta está estão este estes eu fazer foi há isso isto
	já lhe mais mas me mesmo meu meus minha minhas muito na nas não nem no nos nós nossa nosso num numa o onde os ou
	para pela pelas pelo pelos pode poder por porque posso preciso qual quais quando que quem quero são se sem ser
	será seu seus só sobre sua suas também te tem tenho ter teu toda todas todo todos tu tua tudo um uma umas uns
	você vocês`,
	"ru": `
	а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если
	есть еще же за здесь и из или им их к как какая какие какой ко когда которая которые который кто ли либо меня
	мне может можно мой моя мы на над надо нам нас не него нее нет ни них но ну нужен нужна нужно о об однако он
	она они оно от очень по под при с сам свой себя со так такой также там те тем то того тоже той только том ты у
	уже хотя хочу чего чем что чтобы чье эта эти это этот я`,
	"sv": `
	alla allt att av bara behöver blev bli blir de dem den denna deras det detta dig din dina dit du där då efter
	eller en er ett från för före ha hade han har henne hennes hon honom hur här i icke in inom inte jag kan kunde
	man med mellan men mig min mina mot mycket ni nu när någon något några och också om oss på samma sedan sig sin
	sina själv skulle ska som så sådan till under upp ut utan vad var varför varje vem vi vid vilka vilken vill vår
	våra är än`,
}
