package tokenize

import (
	"strings"
	"testing"
)

// A text written so that a reader sees other words than its bytes say has the words that he
// sees, and a term for how that was done.
func TestDisguise(t *testing.T) {
	t.Parallel()
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range []struct{ text, want string }{
		{"vіаgrа", "vіаgrа|viagra|disguise:letters"},
		{"ᴠɪᴀɢʀᴀ", "ᴠɪᴀɢʀᴀ|viagra|disguise:letters"},
		{"ΡаyΡаl", "ρаyρаl|paypal|disguise:letters"},
		{"ᎪᏴᏟᎠᎬ ᏀᎻᎥᎫᏦ ᏚᎢᏙᎳᎩᏃ", "ᎪᏴᏟᎠᎬ|abcde|disguise:letters|ᏀᎻᎥᎫᏦ|ghijk|ᏚᎢᏙᎳᎩᏃ|stvwyz"},
		{"сасһ", "сасһ"}, // all of it Cyrillic, and nothing says that it is not
		{"🅥🅘🅐🅖🅡🅐 🆅🅸🅰🅶🆁🅰 🇻🇮🇦🇬🇷🇦 ⒱⒤⒜⒢⒭⒜ 🇩🇪 🇫🇷", "viagra*4"},
		{"v\u0336i\u0336a\u0336gra", "v\u0336i\u0336a\u0336gra|viagra|disguise:accents"},
		{"vĩäğřa", "vĩäğřa|viagra|disguise:accents"},
		{"víagra", "víagra"},
		{"v1agra m0ney fr33", "viagra|disguise:digits|v1agra|money|m0ney|fr33"},
		{"mp3 w3c utf8 a1b2c3d4 1st 4711 x86_64 deadb33f", "mp3|w3c|utf8|a1b2c3d4|1st|#4|4711|x86|64|deadb33f"},
		{"v i a g r a", "viagra|disguise:apart"},
		{"V-I-A-G-R-A n-o-w", "viagra|disguise:apart|now"},
		{"v.i.a.g.r.a", "viagra|disguise:apart|v.i.a.g.r.a"},
		{"v*i*a*g*r*a", "viagra|disguise:apart"},
		{"v\u00a0i\u00a0a\u00a0g\u00a0r\u00a0a", "viagra|disguise:apart"},
		{"v😀i😀a😀g😀r😀a", "viagra|disguise:apart|😀*5"},
		{"п р о д а м", "прод|disguise:apart"},
		{"U.S.A. e.g. a b c, p.m. I a m", "u.s.a|e.g|p.m"},
		{"\u202eargaiv\u202c now", "disguise:order|viagra|now"},
		{"\u202eargaiv yub\nnow", "disguise:order|buy|viagra|now"},
		{"via\u202earg\r\nnow", "disguise:order|viagra|now"},
	} {
		if got := textTerms(a, tt.text); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// Honest texts of languages with letters like others, or with many accents, have no terms
// that say otherwise. All are proverbs or of our own.
func TestHonestLanguages(t *testing.T) {
	t.Parallel()
	a := analyzer(t, "polya-7 channel=off")
	for _, text := range []string{
		"Семь раз отмерь, один раз отрежь. Как сахар, так и соха: оса, ухо, рак, сор, хор. А в Москве VIP-зал и 3D-кино, e-mail на сервере.",
		"Ні пуху, ні пера! Їжак і їжачиха пішли до лісу, де ріс дуб.", "Боље икад него никад. Љубав је слепа, а ја сам јак.",
		"Το καλό πράγμα αργεί να γίνει. Και το νερό, και το κρασί· 1000ο, 21ου αιώνα. Ο ήλιος, η αυγή, το νησί.",
		"Có công mài sắt, có ngày nên kim. Một cây làm chẳng nên non, ba cây chụm lại nên hòn núi cao. Được, ướt, nghiêng.",
		"Damlaya damlaya göl olur. Ağır taş yerinden oynamaz. Işık, ırmak, İstanbul'da güneş çığ gibi.",
		"Příliš žluťoučký kůň úpěl ďábelské ódy. Bez práce nejsou koláče, příští týden přijdou šťastní strýčkové.",
		"Žilvičky, ľahký, kôň, päť, ôsmy, vŕba, stĺp.", "Gdzie kucharek sześć, tam nie ma co jeść. Zażółć gęślą jaźń.",
		"À cœur vaillant rien d'impossible; où est l'été, là-bas? Noël, naïf, ça.", "Más vale pájaro en mano que ciento volando. ¿Qué pingüino? Ñandú.",
		"Árvíztűrő tükörfúrógép.", "Þetta reddast, það er nú svo. Ævi, öld, ást.", "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą.",
		"Sæson, blå, øl. Ære være. Smörgåsbord på ön.", "Quem não tem cão caça com gato. Ação, pães, avô, avó.",
	} {
		if got := textTerms(a, strings.Repeat(text+"\n", 3)); strings.Contains(got, disguise) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// What a page hides or shows by style sheets, by its order, within elements, and in links.
func TestDisguisedPages(t *testing.T) {
	t.Parallel()
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range []struct{ html, want string }{
		{"<style>.b{display:none}</style>v<i class=b>xx</i>iagra", "viagra|invisible:xx"},
		{"ab<i class=b>xx</i><style>.b{display:none}</style>", "ab|invisible:xx"},
		{"<!-- <style>.b{display:none}</style> --><i class=b>xx</i>", "xx"},
		{"<style media=print>.b{display:none}</style><i class=b>xx</i>", "xx"},
		{"<style>i::before{content:'ab ' attr(title)}</style><i title=cd>ef</i>", "ab|cd*2|ef|disguise:content"},
		{"<td bgcolor=#336699><font color=#336699>xx</font>ab", "ab|invisible:xx"},
		{"<body bgcolor=black text=white>ab<table><td>cd<font color=black>xx", "ab|cd|invisible:xx"},
		{"<font color=white>xx<table><td>ab</table>cd", "ab|invisible:xx|invisible:cd"},
		{"<!doctype html><font color=white>xx<table><td>cd", "invisible:xx|invisible:cd"},
		{"<table bgcolor=navy><tr><td><table><tr><td><font color=white>ab", "ab"},
		{"<td background=a.gif><font color=white>ab", "ab|→a.gif"},
		{"<a href=x style='color:#fff'>xx</a><a href=y>ab</a>", "ab|invisible:xx|→x|→y"},
		{"<div style='visibility:hidden'>xx<p style='visibility:visible'>ab</div>", "ab|invisible:xx"},
		{"<span hidden><div>xx</span>yy</div></span>ab", "ab|invisible:xxyy"},
		{"<p hidden>xx<div>ab", "ab|invisible:xx"},
		{"ab</td></font>cd</p>ef", "abcd|ef"},
		{"<table hidden>ab<tr>cd<div>ef</div>gh<td>xx</table>", "abcd|ef|gh|invisible:xx"},
		{"ab<table hidden> <tbody> <td>xx</table>cd", "abcd|invisible:xx"},
		{"<td><table bgcolor=black><tbody>ab<tr><td><font color=black>xx", "ab|invisible:xx"},
		{"<table><tr hidden><td>xx<tbody>ab<tr><td>cd", "ab|cd|invisible:xx"},
		{"<p hidden>xx<hr>ab<p hidden>xx<li>cd", "ab|cd|invisible:xx*2"},
		{"<a href=x hidden>xx<a href=y>ab", "ab|invisible:xx|→x|→y"},
		{"<style type=text/plain>b{display:none}</style><b>ab", "ab"},
		{"<font color=transparent>ab<font color='rgb(255,255,255)'>cd", "abcd"},
		{"<table hidden><tr><div><td>xx<tr><form><td>xx<tr><b><td>xx</table>", "invisible:xx*3"},
		{"<table hidden><div><caption>xx</table>", "invisible:xx"},
		{"<table><div hidden>xx<tr><td>ab<b hidden><td>cd</table>", "ab|cd|invisible:xx"},
		{"<style>p::before{content:'}ab'}</style><p>cd", "abcd|disguise:content"},
		{"<style>p{display:none}b{x:" + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + "}p{display:block}</style><p>ab", "ab"},
		{"<style>p{color:white}@supports (x:y){p{color:black}}</style><p>ab", "ab"},
		{"<style>@supports (x:y){b{direction:rtl;unicode-bidi:bidi-override}}</style><b>argaiv</b>", "viagra|disguise:order"},
		{"<style>p{display:none}</style><style media='(orientation:landscape)'>p{display:block}</style><p>ab", "ab"},
		{"<style>:link{display:none}:root{color:white}p{color:black}</style><p><b>ab", "ab"},
		{"<p style=font-size:.15in>ab", "ab"},
		{"<template>xx</template><datalist><option>yy</datalist>ab", "ab|invisible:xx|invisible:yy"},
		{"<bdo dir=rtl>argaiv<br>yub</bdo>", "viagra|buy|disguise:order"},
		{"via<bdo dir=rtl>arg\r\n</bdo>", "viagra|disguise:order"},
		{"<iframe srcdoc='<b>ab</b><p hidden>xx'></iframe>cd", "ab|cd|invisible:xx|disguise:page"},
		{"<iframe src='data:text/html;base64,PGI+YWI8L2I+'></iframe>", "ab|disguise:page"},
		{"<img src='data:image/svg+xml,<svg><text>ab</text></svg>'>", "ab|disguise:page"},
		{"<object data='data:text/html,%3Cb>ab'></object><img src=data:image/png;base64,AAAA>", "ab|disguise:page"},
		{"<a href=http://evil.example/>www.bank.example</a>", "url:www.bank.example|url:bank.example|disguise:link|→http://evil.example/"},
		{"<a href=http://click.bank.example/>www.bank.example/</a>", "url:www.bank.example|url:bank.example|→http://click.bank.example/"},
		{"<a href=http://evil.example/>See the list. Or not.</a>", "see|the|list|or|not|→http://evil.example/"},
		{"<input type=submit value='ab cd'><input value=xx placeholder=ef>", "ab|cd|ef"},
	} {
		got := htmlTerms(a, tt.html)
		var p Page
		p.Read([]byte(tt.html))
		for _, sign := range p.Signs {
			links := strings.Index(got, "|→")
			if links < 0 {
				links = len(got)
			}
			got = got[:links] + "|" + sign + got[links:]
		}
		if got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.html, got, tt.want)
		}
	}
}
